"""The provinces of China: what a licence covers, and where an address lies."""

from __future__ import annotations

from collections.abc import Mapping

from gpucontract.wording import Text

NATIONAL = "national"
PROVINCES: Mapping[str, Text] = {
    "beijing": Text("北京", "Beijing"),
    "tianjin": Text("天津", "Tianjin"),
    "hebei": Text("河北", "Hebei"),
    "shanxi": Text("山西", "Shanxi"),
    "neimenggu": Text("内蒙古", "Inner Mongolia"),
    "liaoning": Text("辽宁", "Liaoning"),
    "jilin": Text("吉林", "Jilin"),
    "heilongjiang": Text("黑龙江", "Heilongjiang"),
    "shanghai": Text("上海", "Shanghai"),
    "jiangsu": Text("江苏", "Jiangsu"),
    "zhejiang": Text("浙江", "Zhejiang"),
    "anhui": Text("安徽", "Anhui"),
    "fujian": Text("福建", "Fujian"),
    "jiangxi": Text("江西", "Jiangxi"),
    "shandong": Text("山东", "Shandong"),
    "henan": Text("河南", "Henan"),
    "hubei": Text("湖北", "Hubei"),
    "hunan": Text("湖南", "Hunan"),
    "guangdong": Text("广东", "Guangdong"),
    "guangxi": Text("广西", "Guangxi"),
    "hainan": Text("海南", "Hainan"),
    "chongqing": Text("重庆", "Chongqing"),
    "sichuan": Text("四川", "Sichuan"),
    "guizhou": Text("贵州", "Guizhou"),
    "yunnan": Text("云南", "Yunnan"),
    "xizang": Text("西藏", "Xizang"),
    "shaanxi": Text("陕西", "Shaanxi"),
    "gansu": Text("甘肃", "Gansu"),
    "qinghai": Text("青海", "Qinghai"),
    "ningxia": Text("宁夏", "Ningxia"),
    "xinjiang": Text("新疆", "Xinjiang"),
}
# These are province and city at once.
MUNICIPALITIES = frozenset({"beijing", "tianjin", "shanghai", "chongqing"})
# A mainland telecom licence says nothing of these; an address there is as good as any other.
BEYOND_LICENCES = ("香港", "澳门", "台湾")
REGIONS: Mapping[str, Text] = {NATIONAL: Text("全国", "national"), **PROVINCES}


def province_of(address: str) -> str | None:
    """The province an address begins with, in Chinese, or names as a word, in English; None where it names none."""
    start = address.strip().removeprefix("中国")
    for name, text in PROVINCES.items():
        if start.startswith(text.zh):
            return name
    words = [word.strip().casefold() for word in address.split(",")]
    return next((name for name, text in PROVINCES.items() if text.en.casefold() in words), None)
