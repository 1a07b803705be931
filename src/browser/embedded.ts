// The run that stands in a report: what is drawn first in one script of JSON, the texts of calls in pieces that are read
// when a call of theirs is opened.
import type { CallText, CallTexts, RunPage } from "./RunPage.ts"

const numberIn = (element: Element, name: string): number => Number(element.getAttribute(name))

export const embedded = (): { readonly page: RunPage; readonly texts: CallTexts } | undefined => {
  const run = document.querySelector("script#run")?.textContent
  if (run === undefined || run === null) return undefined
  const page: RunPage = JSON.parse(run)
  const pieces = [...document.querySelectorAll("script[data-from]")].map((element) => ({
    from: numberIn(element, "data-from"),
    element
  }))
  const read = new Map<Element, ReadonlyArray<CallText>>()
  const textsIn = (element: Element): ReadonlyArray<CallText> => {
    const known = read.get(element) ?? JSON.parse(element.textContent ?? "[]")
    read.set(element, known)
    return known
  }
  const texts: CallTexts = {
    one: (number) => {
      const piece = pieces.findLast(({ from }) => from <= number)
      return Promise.resolve(piece && textsIn(piece.element).find((text) => text.number === number))
    },
    all: () => Promise.resolve(pieces.flatMap(({ element }) => textsIn(element)))
  }
  return { page, texts }
}
