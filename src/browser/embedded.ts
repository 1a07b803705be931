// What stands in the file itself. Of a report that is a run: what is drawn first in one script of JSON, the texts of calls in pieces that are read
// when a call of theirs is opened.
import type { DiffPage } from "./DiffPage.ts"
import type { CallText, CallTexts, RunPage } from "./RunPage.ts"

const numberIn = (element: Element, name: string): number => Number(element.getAttribute(name))

/** The value of the script with that id. */
const textIn = (id: string) => {
  const text = document.querySelector(`script#${id}`)?.textContent
  return text === undefined || text === null ? undefined : JSON.parse(text)
}

export const embeddedDiff = (): DiffPage | undefined => textIn("diff")

export const embeddedRun = (): { readonly page: RunPage; readonly texts: CallTexts } | undefined => {
  const page: RunPage | undefined = textIn("run")
  if (page === undefined) return undefined
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
