// CallList: every call of the run, those that are looked for, and the one that is open. Only rows in sight are in the
// document, so that ten thousand calls open and scroll like ten; a print has them all.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import { durationText } from "../domain/durationText.ts"
import { countText, dollarsText, plural } from "../domain/numbersText.ts"
import { Blocks } from "./Blocks.tsx"
import { hashOf, placeOf, usePlace } from "./place.ts"
import type { CallLine, CallText, CallTexts } from "./RunPage.ts"

/** Pixels; the style says the same. */
const rowHeight = 34
/** Rows above and below those in sight. */
const margin = 20

const factsOf = ({ costUsd, from, to, tokens }: CallLine): string =>
  [
    to === undefined ? "" : durationText(Math.max(0, to - from)),
    tokens === undefined ? "" : `${countText(tokens)} tokens`,
    costUsd === undefined ? "" : dollarsText(costUsd)
  ]
    .filter((part) => part !== "")
    .join(" · ")

const lineText = ({ model = "", name, number, phase = "", status }: CallLine): string =>
  `${number} ${name} ${status} ${phase} ${model}`.toLowerCase()

/** The numbers of the calls that hold `sought`, once their texts are there; undefined while nothing is looked for. */
const useFound = (
  calls: ReadonlyArray<CallLine>,
  texts: CallTexts,
  sought: string
): ReadonlySet<number> | undefined => {
  const [found, setFound] = useState<ReadonlySet<number>>()
  const known = useRef<Promise<ReadonlyMap<number, string>>>(undefined)
  useEffect(() => {
    if (sought === "") {
      setFound(undefined)
      return undefined
    }
    let over = false
    known.current ??= texts.all().then(
      (all) =>
        new Map(
          all.map(({ blocks, number }) => [
            number,
            blocks
              .map(({ text }) => text)
              .join("\n")
              .toLowerCase()
          ])
        )
    )
    const look = (whole: ReadonlyMap<number, string>) => {
      if (over) return
      const fits = calls.filter(
        (call) => lineText(call).includes(sought) || whole.get(call.number)?.includes(sought) === true
      )
      setFound(new Set(fits.map(({ number }) => number)))
    }
    // Typing goes on while it is looked for.
    const due = setTimeout(() => void known.current?.then(look), 120)
    return () => {
      over = true
      clearTimeout(due)
    }
  }, [calls, sought, texts])
  return found
}

/** Whether the page is being printed: then all rows are in it. */
const usePrinting = (): boolean => {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const media = matchMedia("print")
    const follow = () => setPrinting(media.matches)
    media.addEventListener("change", follow)
    return () => media.removeEventListener("change", follow)
  }, [])
  return printing
}

const Opened = ({ line, texts }: { readonly line: CallLine; readonly texts: CallTexts }) => {
  const [text, setText] = useState<CallText>()
  useEffect(() => {
    let over = false
    void texts.one(line.number).then((one) => {
      if (!over) setText(one)
    })
    return () => {
      over = true
    }
  }, [line, texts])
  return (
    <article class="call" aria-label={`Call ${line.number}`}>
      <h3>
        {line.number} {line.name} <span class={line.kind}>{line.status}</span>
      </h3>
      <p class="dim">
        {[factsOf(line), text?.number === line.number ? text.facts : ""]
          .filter((part) => part !== "")
          .join(" · ")}
      </p>
      {text?.number === line.number && <Blocks blocks={text.blocks} />}
    </article>
  )
}

export const CallList = ({
  calls,
  texts
}: {
  readonly calls: ReadonlyArray<CallLine>
  readonly texts: CallTexts
}) => {
  const place = usePlace()
  const [sought, setSought] = useState("")
  const [kind, setKind] = useState("")
  const [scrolled, setScrolled] = useState(0)
  const [seen, setSeen] = useState(700)
  const list = useRef<HTMLDivElement>(null)
  const printing = usePrinting()
  const found = useFound(calls, texts, sought.trim().toLowerCase())
  const shown = useMemo(
    () =>
      calls.filter(
        (call) => (kind === "" || call.kind === kind) && (found === undefined || found.has(call.number))
      ),
    [calls, found, kind]
  )
  const opened = useMemo(() => calls.find(({ number }) => number === place.call), [calls, place.call])
  const linkTo = useCallback((call: number) => hashOf({ ...place, call }), [place.run])
  const at = shown.findIndex(({ number }) => number === place.call)

  // The open row is in sight, wherever it was opened from.
  useEffect(() => {
    const box = list.current
    if (box === null || at < 0) return
    const top = at * rowHeight
    if (top < box.scrollTop || top + rowHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = Math.max(0, top - box.clientHeight / 2)
  }, [at])
  useEffect(() => {
    const box = list.current
    if (box === null) return undefined
    const resized = new ResizeObserver(() => setSeen(box.clientHeight))
    resized.observe(box)
    return () => resized.disconnect()
  }, [])

  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: 15,
    PageUp: -15,
    Home: -Infinity,
    End: Infinity
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || shown.length === 0) return
    event.preventDefault()
    // Where it is now: keys come faster than the page is drawn.
    const open = placeOf(location.hash).call
    const now = shown.findIndex(({ number }) => number === open)
    const from = now < 0 ? -Math.sign(step) : now
    const next = shown[Math.min(shown.length - 1, Math.max(0, from + step))]
    if (next !== undefined) location.hash = linkTo(next.number)
  }

  const first = printing ? 0 : Math.max(0, Math.floor(scrolled / rowHeight) - margin)
  const last = printing ? shown.length : Math.ceil((scrolled + seen) / rowHeight) + margin
  return (
    <section>
      <h2>Calls</h2>
      <form role="search" onSubmit={(event) => event.preventDefault()}>
        <label for="search">Search</label>
        <input
          id="search"
          type="search"
          autocomplete="off"
          value={sought}
          onInput={({ currentTarget }) => setSought(currentTarget.value)}
        />
        <label for="status">Status</label>
        <select id="status" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          <option value="">all</option>
          <option value="completed">completed</option>
          <option value="failed">failed</option>
          <option value="other">other</option>
        </select>
        <span class="dim" role="status">
          {shown.length === calls.length
            ? plural(calls.length, "call")
            : `${shown.length} of ${plural(calls.length, "call")}`}
        </span>
      </form>
      <div class="calls">
        <nav
          class="list"
          ref={list}
          tabIndex={0}
          aria-label="Calls; the arrow keys open the next one"
          onKeyDown={onKeyDown}
          onScroll={({ currentTarget }) => setScrolled(currentTarget.scrollTop)}
        >
          <div style={{ height: `${shown.length * rowHeight}px`, position: "relative" }}>
            {shown.slice(first, last).map((call, index) => (
              <a
                key={call.number}
                class="row"
                href={linkTo(call.number)}
                aria-current={call.number === place.call ? "true" : undefined}
                style={{ top: `${(first + index) * rowHeight}px` }}
              >
                <span class="n">{call.number}</span>
                <span class="name">{call.name}</span>
                <span class={call.kind}>{call.status}</span>
                <span class="facts">{factsOf(call)}</span>
              </a>
            ))}
          </div>
        </nav>
        {opened === undefined ? (
          <p class="dim">Open a call to see what it was asked and what it answered.</p>
        ) : (
          <Opened line={opened} texts={texts} />
        )}
      </div>
    </section>
  )
}
