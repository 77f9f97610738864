FROM python:3.12-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --uid 10001 gpucontract

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR_DIR=/var/lib/gpucontract
WORKDIR /srv/gpucontract

COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt

COPY . .
RUN python scripts/translations.py compile \
    && mkdir -p /var/lib/gpucontract && chown gpucontract /var/lib/gpucontract

USER gpucontract
EXPOSE 8000
CMD ["python", "manage.py", "serve", "--bind", "0.0.0.0:8000", "--workers", "2"]
