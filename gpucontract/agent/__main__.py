"""python -m gpucontract.agent, and the start of the .pyz."""

from gpucontract.agent.main import main

raise SystemExit(main())
