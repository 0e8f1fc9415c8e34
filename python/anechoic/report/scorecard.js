// Shows the claims that are like what the filters say, and hides what is left without any.
"use strict";
{
  const form = document.querySelector(".filters");
  const claims = [...document.querySelectorAll("article")];
  const output = form.querySelector("output");
  const words = claims.map((claim) => claim.textContent.toLowerCase());

  function isLike(claim, place, wanted) {
    return Object.entries(wanted).every(([name, value]) => {
      if (value === "") return true;
      if (name === "words") return words[place].includes(value.toLowerCase());
      return claim.dataset[name].split(" ").includes(value);
    });
  }

  function filter() {
    const wanted = Object.fromEntries(new FormData(form));
    claims.forEach((claim, place) => { claim.hidden = !isLike(claim, place, wanted); });
    for (const part of document.querySelectorAll("section.experiment, section.paper")) {
      part.hidden = part.querySelector("article:not([hidden])") === null;
    }
    const shown = claims.filter((claim) => !claim.hidden).length;
    output.textContent = `${shown} of ${claims.length} claims`;
    document.querySelector(".nothing").hidden = shown > 0;
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
}
