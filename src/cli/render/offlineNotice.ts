// The one line that keeps made-up answers from being taken for a model's.

export const madeUpByRule =
  "offline: no model was asked; the answers are made up by rule from the prompts, and mean nothing"
