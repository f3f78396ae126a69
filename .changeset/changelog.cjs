"use strict";

/** Lines of CHANGELOG.md: what a changeset says, and nothing of commits, which say how. */
module.exports = {
  getReleaseLine: ({ summary }) => {
    const [first = "", ...rest] = summary.trim().split("\n");
    return Promise.resolve([`- ${first}`, ...rest.map((line) => `  ${line}`.trimEnd())].join("\n"));
  },
  getDependencyReleaseLine: () => Promise.resolve(""),
};
