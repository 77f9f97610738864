"""Terms of step 3, once per node group."""

from django.db import models

from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.models.nodes import NodeGroup
from gpucontract.contracts.sections.interconnect import SECTION
from gpucontract.contracts.sections.term import Row


class InterconnectTerms(models.Model):
    group = models.OneToOneField(NodeGroup, models.CASCADE)
    intra_link_type = term("intra_link_type")
    nvlink_generation = term("nvlink_generation")
    nvlink_bw_gbs = term("nvlink_bw_gbs")
    nvlink_bw_convention = term("nvlink_bw_convention")
    nvlink_active_links_min = term("nvlink_active_links_min")
    nvlink_all_pairs = term("nvlink_all_pairs")
    p2p_enabled = term("p2p_enabled")
    intra_busbw_min = term("intra_busbw_min")
    intra_busbw_msg_size = term("intra_busbw_msg_size")
    busbw_placement = term("busbw_placement")
    nccl_env_allowed = term("nccl_env_allowed")
    inter_fabric_type = term("inter_fabric_type")
    nics_per_node = term("nics_per_node")
    inter_port_gbps = term("inter_port_gbps")
    inter_node_gbps_stated = term("inter_node_gbps_stated")
    oversubscription = term("oversubscription")
    fabric_topology = term("fabric_topology")
    gpudirect_rdma = term("gpudirect_rdma")
    roce_lossless = term("roce_lossless")
    ib_sharp = term("ib_sharp")
    rdma_bw_min_gbps = term("rdma_bw_min_gbps")
    inter_busbw_min = term("inter_busbw_min")
    inter_test_nodes = term("inter_test_nodes")
    inter_test_collective = term("inter_test_collective")
    nic_model = term("nic_model")
    fabric_dedicated = term("fabric_dedicated")
    roce_loss_max_ppm = term("roce_loss_max_ppm")
    rdma_latency_max_us = term("rdma_latency_max_us")
    link_error_policy = term("link_error_policy")

    class Meta:
        constraints = limits("interconnect", SECTION.of(Row.GROUP))

    def __str__(self) -> str:
        return f"{self.group} interconnect"
