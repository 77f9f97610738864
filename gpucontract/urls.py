"""Root URLs: sign-in by allauth, everything else in web."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("", include("gpucontract.web.urls")),
]

handler400 = "gpucontract.web.views.frame.bad_request"
handler500 = "gpucontract.web.views.frame.server_error"
