// The one place that knows htmx events: tells what could not be saved or loaded, and keeps what was typed.
// <body data-say-offline data-say-signed-out data-say-refused data-say-failed> hold the sentences.
(() => {
  const sentence = (status) => {
    const say = document.body.dataset;
    if (status === 0) return say.sayOffline;
    if (status === 401) return say.saySignedOut;
    if (status === 403) return say.sayRefused;
    return say.sayFailed;
  };

  function tell(element, status) {
    const place = document.querySelector(element.closest("[data-note]")?.dataset.note ?? "#exchange-note");
    if (!place) return;
    place.hidden = false;
    place.textContent = sentence(status);
    place.classList.add("bad");
  }

  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    if (status !== 422 && status !== 409) tell(event.detail.elt, status);
  });
  document.addEventListener("htmx:sendError", (event) => tell(event.detail.elt, 0));
  document.addEventListener("htmx:timeout", (event) => tell(event.detail.elt, 0));
})();
