// Sets the colours before anything is painted; the page itself goes on from there.
(function () {
  var wish = null;
  try {
    wish = localStorage.getItem('husun.theme');
  } catch (e) {
    // storage may be closed to us: then the system's wish counts
  }
  if (wish !== 'light' && wish !== 'dark') {
    wish = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.dataset.theme = wish;
})();
