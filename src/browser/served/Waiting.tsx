// Waiting: what the run asks a person, and the answering of it.
import { useState } from "preact/hooks"
import { Refused, type Connection } from "./connection.ts"
import type { WaitingItem } from "../RunPage.ts"

const Item = ({
  connection,
  item,
  onAnswered,
  runId
}: {
  readonly connection: Connection
  readonly runId: string
  readonly item: WaitingItem
  readonly onAnswered: (next: string) => void
}) => {
  const [answer, setAnswer] = useState("")
  const [problem, setProblem] = useState("")
  const [sending, setSending] = useState(false)
  const give = (given: string) => {
    setSending(true)
    setProblem("")
    connection.answer(runId, item.item, given).then(
      ({ next }) => onAnswered(next),
      (error: unknown) => {
        setSending(false)
        setProblem(error instanceof Refused ? error.message : "The server does not answer.")
      }
    )
  }
  const choices = item.choices ?? []
  return (
    <form
      class="notice"
      aria-label={`Answer ${item.item}`}
      onSubmit={(event) => {
        event.preventDefault()
        give(answer)
      }}
    >
      <div>
        <strong>{item.item}</strong> <span class="dim">{item.kind}</span>
        <pre tabIndex={0} aria-label={`Question ${item.item}`}>
          {item.text}
        </pre>
      </div>
      {choices.map((choice) => (
        <button key={choice} type="button" disabled={sending} onClick={() => give(choice)}>
          {choice}
        </button>
      ))}
      {choices.length === 0 && (
        <>
          <textarea
            aria-label={item.hasSchema ? `JSON for ${item.item}` : `Answer to ${item.item}`}
            rows={2}
            value={answer}
            onInput={({ currentTarget }) => setAnswer(currentTarget.value)}
          />
          <button type="submit" disabled={sending || answer === ""}>
            Answer
          </button>
        </>
      )}
      <span role="alert" class="failed">
        {problem}
      </span>
    </form>
  )
}

export const Waiting = ({
  connection,
  items,
  onAnswered,
  runId
}: {
  readonly connection: Connection
  readonly runId: string
  readonly items: ReadonlyArray<WaitingItem>
  readonly onAnswered: () => void
}) => {
  const [next, setNext] = useState("")
  if (items.length === 0 && next === "") return null
  return (
    <section>
      <h2>Waiting</h2>
      {items.map((item) => (
        <Item
          key={item.item}
          connection={connection}
          runId={runId}
          item={item}
          onAnswered={(command) => {
            setNext(command)
            onAnswered()
          }}
        />
      ))}
      <p role="status">
        {next !== "" && (
          <>
            Answered. Next: <code>{next}</code>
          </>
        )}
      </p>
    </section>
  )
}
