"""Two sentences stand a blank apart in English alone."""

import pytest
from django.template import Context, Template
from django.utils import translation


@pytest.mark.parametrize(("language", "shown"), [("zh-hans", "。去"), ("en", "。 去")])
def test_only_english_parts_sentences_by_a_blank(language, shown):
    with translation.override(language):
        assert Template("{% load frame %}。{% gap %}去").render(Context()) == shown
