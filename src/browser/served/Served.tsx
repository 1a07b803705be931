// Served: all runs of a base directory, and one of them, as they go on.
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { plural } from "../../domain/numbersText.ts"
import { hashOf, usePlace } from "../place.ts"
import { RunView } from "../RunView.tsx"
import type { CallTexts, RunLine, RunPage } from "../RunPage.ts"
import { connect, type Connection } from "./connection.ts"
import { Waiting } from "./Waiting.tsx"

/** How often the list of runs is asked for, in milliseconds. */
const listEvery = 3000

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const RunList = ({ connection }: { readonly connection: Connection }) => {
  const [runs, setRuns] = useState<ReadonlyArray<RunLine>>()
  const [problem, setProblem] = useState("")
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let over = false
    const look = (): void =>
      void connection
        .runs()
        .then(
          (all) => {
            if (over) return
            setRuns(all)
            setProblem("")
          },
          (error: unknown) => setProblem(messageOf(error))
        )
        .then(() => {
          if (!over) timer = setTimeout(look, listEvery)
        })
    look()
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [connection])
  return (
    <>
      <h1>Runs</h1>
      <p role="alert" class="failed">
        {problem}
      </p>
      {runs !== undefined && <p class="dim">{plural(runs.length, "run")}</p>}
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">status</th>
              <th scope="col">goal</th>
              <th scope="col">calls</th>
              <th scope="col">cost</th>
              <th scope="col">written</th>
            </tr>
          </thead>
          <tbody>
            {runs?.map(({ calls, cost = "", goal, name, runId, status, written }) => (
              <tr key={runId}>
                <td>
                  <a href={hashOf({ run: runId })}>{name ?? runId}</a>
                </td>
                <td class={status === "completed" ? "completed" : status === "failed" ? "failed" : "other"}>
                  {status}
                </td>
                <td>{goal}</td>
                <td>{calls}</td>
                <td>{cost}</td>
                <td>{written}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** The run's page, asked for anew after events: never more often than it takes, so that a large run asks seldom. */
const useRun = (connection: Connection, runId: string) => {
  const [page, setPage] = useState<RunPage>()
  const [problem, setProblem] = useState("")
  const state = useRef({ busy: false, stale: true })
  const look = useRef(() => {})
  useEffect(() => {
    state.current = { busy: false, stale: true }
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let stop: (() => void) | undefined
    const ask = (): void => {
      if (over || state.current.busy || !state.current.stale) return
      state.current = { busy: true, stale: false }
      const begun = performance.now()
      void connection
        .run(runId)
        .then(
          (next) => {
            if (over) return
            setPage(next)
            setProblem("")
            stop ??= connection.follow(runId, next.events, look.current)
          },
          (error: unknown) => {
            if (!over) setProblem(messageOf(error))
          }
        )
        .then(() => {
          timer = setTimeout(
            () => {
              state.current.busy = false
              ask()
            },
            Math.max(250, 2 * (performance.now() - begun))
          )
        })
    }
    look.current = () => {
      state.current.stale = true
      ask()
    }
    ask()
    return () => {
      over = true
      clearTimeout(timer)
      stop?.()
    }
  }, [connection, runId])
  return { page, problem, look: () => look.current() }
}

const OneRun = ({ connection, runId }: { readonly connection: Connection; readonly runId: string }) => {
  const { look, page, problem } = useRun(connection, runId)
  const texts = useMemo(
    (): CallTexts => ({
      one: (number) => connection.text(runId, number).catch(() => undefined),
      all: () => connection.texts(runId).catch(() => [])
    }),
    [connection, runId]
  )
  return (
    <>
      <nav aria-label="Runs">
        <a href="#">All runs</a>
      </nav>
      <p role="alert" class="failed">
        {problem}
      </p>
      {page !== undefined && (
        <RunView page={page} texts={texts}>
          <Waiting connection={connection} runId={runId} items={page.waiting ?? []} onAnswered={look} />
        </RunView>
      )}
    </>
  )
}

export const Served = () => {
  const connection = useMemo(connect, [])
  const { run } = usePlace()
  return run === undefined ? (
    <RunList connection={connection} />
  ) : (
    <OneRun key={run} connection={connection} runId={run} />
  )
}
