// Draws every chart of the page; its bundle brings Vega, Vega-Lite and Vega-Embed.
// The expressions of the charts are interpreted, so that the page needs no `eval`.
(() => {
  "use strict";
  const ink = "var(--ink-soft)";
  const config = {
    background: null,
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: {
      labelColor: ink, titleColor: ink, gridColor: "var(--line)", domainColor: "var(--line)",
      tickColor: "var(--line)", labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal",
      titlePadding: 8,
    },
    axisY: { labelPadding: 8 },
    bar: { stroke: null },
  };
  const options = {
    mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false, config,
    tooltip: { disableDefaultStyle: true },
  };
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const drawn = [...document.querySelectorAll("[data-chart]")].map((place) => {
    const description = place.getAttribute("aria-label");
    return vegaEmbed(place, { ...specs[place.dataset.chart], description }, options);
  });
  Promise.all(drawn).then(
    () => { document.documentElement.dataset.charts = "drawn"; },
    (error) => {
      document.documentElement.dataset.charts = "failed";
      console.error(error);
    },
  );

  // Paper has no way to open a table.
  const closed = () => document.querySelectorAll("details:not([open])");
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...closed()];
    opened.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((each) => { each.open = false; }));
})();
