"""Every page: one URL, one view, one name."""

from django.urls import path

from gpucontract.web.views import frame

urlpatterns = [
    path("language/", frame.set_language, name="set-language"),
]
