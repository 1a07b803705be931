// DiffView: the difference between two runs: which calls are others, and what of them, word by word.
import { plural } from "../domain/numbersText.ts"
import type { DiffPage, DiffWords } from "./DiffPage.ts"

/** Characters of unchanged text that are shown around a change. */
const around = 400

const Same = ({ text }: { readonly text: string }) =>
  text.length <= 2 * around ? (
    <>{text}</>
  ) : (
    <>
      {text.slice(0, around).toWellFormed()}
      <span class="dim"> … </span>
      {text.slice(-around).toWellFormed()}
    </>
  )

const Words = ({ head, words }: { readonly head: string; readonly words: DiffWords }) => (
  <section>
    <h4>{head}</h4>
    <pre tabIndex={0} aria-label={head}>
      {words.map(({ kind, text }, at) =>
        kind === "removed" ? (
          <del key={at}>{text}</del>
        ) : kind === "added" ? (
          <ins key={at}>{text}</ins>
        ) : (
          <Same key={at} text={text} />
        )
      )}
    </pre>
  </section>
)

const kinds = {
  removed: { word: "only in A", colour: "failed" },
  added: { word: "only in B", colour: "completed" },
  changed: { word: "changed", colour: "other" },
  asked: { word: "would be asked", colour: "other" }
} as const

export const DiffView = ({ page }: { readonly page: DiffPage }) => (
  <>
    <h1>
      {page.a.name} → {page.b.name}
    </h1>
    <dl>
      <div>
        <dt>A</dt>
        <dd>{page.a.facts.join(" · ")}</dd>
      </div>
      <div>
        <dt>B</dt>
        <dd>{page.b.facts.join(" · ")}</dd>
      </div>
      <div>
        <dt>the same</dt>
        <dd>{plural(page.same, "call")}</dd>
      </div>
      <div>
        <dt>different</dt>
        <dd>{plural(page.pairs.length, "call")}</dd>
      </div>
    </dl>
    {page.result !== undefined && (
      <section>
        <h2>Result</h2>
        <Words head="A → B" words={page.result} />
      </section>
    )}
    <section>
      <h2>Calls</h2>
      {page.pairs.length === 0 && <p>No call differs.</p>}
      {page.pairs.map(({ kind, name, parts, place }) => (
        <article key={place} class="pair">
          <h3>
            {place} {name} <span class={kinds[kind].colour}>{kinds[kind].word}</span>
          </h3>
          {parts.map(({ head, words }) => (
            <Words key={head} head={head} words={words} />
          ))}
        </article>
      ))}
    </section>
  </>
)
