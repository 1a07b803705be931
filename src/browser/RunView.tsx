// RunView: one run whole.
import type { ComponentChildren } from "preact"
import { CallList } from "./CallList.tsx"
import { hashOf, usePlace } from "./place.ts"
import type { CallTexts, RunPage } from "./RunPage.ts"
import { Sums } from "./Sums.tsx"
import { Timeline } from "./Timeline.tsx"

const Section = ({ children, title }: { readonly children: ComponentChildren; readonly title: string }) => (
  <section>
    <h2>{title}</h2>
    {children}
  </section>
)

export const RunView = ({
  children,
  page,
  texts
}: {
  readonly page: RunPage
  readonly texts: CallTexts
  /** What stands below the head: of a page that is served, what the run waits for. */
  readonly children?: ComponentChildren
}) => {
  const place = usePlace()
  const { calls, councils, facts, gates, phases, result, steps } = page
  return (
    <>
      <header>
        <h1>{page.title}</h1>
        <p class="dim">
          {page.runId} · {page.made}
        </p>
      </header>
      <dl>
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {children}
      <Section title="How it went">
        <p>{page.verdict}</p>
        {steps.length > 0 && (
          <ul>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ul>
        )}
      </Section>
      {result !== undefined && (
        <Section title="Result">
          <pre tabIndex={0} aria-label="Result">
            {result}
          </pre>
        </Section>
      )}
      {councils.length > 0 && (
        <Section title="Councils">
          {councils.map(({ call, head, text }) => (
            <div key={call}>
              <h3>
                <a href={hashOf({ ...place, call })}>{head}</a>
              </h3>
              <pre tabIndex={0} aria-label={head}>
                {text}
              </pre>
            </div>
          ))}
        </Section>
      )}
      {gates.length > 0 && (
        <Section title="Gates">
          {gates.map(({ detail, name, pass }, at) => (
            <div key={at}>
              <h3>
                {name}: <span class={pass ? "completed" : "failed"}>{pass ? "passed" : "did not pass"}</span>
              </h3>
              {detail !== undefined && (
                <pre tabIndex={0} aria-label={name}>
                  {detail}
                </pre>
              )}
            </div>
          ))}
        </Section>
      )}
      {calls.length > 0 && (
        <Section title="Timeline">
          <Timeline calls={calls} phases={phases} />
          <Sums calls={calls} />
        </Section>
      )}
      <CallList calls={calls} texts={texts} />
    </>
  )
}
