// The connection to `alembic serve`. Its key comes in the address behind `#`, where it is sent to nobody, is kept for this
// tab alone, and goes with each request as a header: no cookie, so that no other page can use it.
import type { CallText, RunLine, RunPage } from "../RunPage.ts"

const storageName = "alembic-key"

/** Takes the key out of the address, so that it stands in no history. */
const keyOf = (): string => {
  const given = /^#key=([\w-]+)/.exec(location.hash)?.[1]
  if (given === undefined) return sessionStorage.getItem(storageName) ?? ""
  sessionStorage.setItem(storageName, given)
  history.replaceState(null, "", location.pathname)
  return given
}

/** What the server says that went wrong. */
export class Refused extends Error {}

export interface Connection {
  readonly runs: () => Promise<ReadonlyArray<RunLine>>
  readonly run: (runId: string) => Promise<RunPage>
  readonly text: (runId: string, call: number) => Promise<CallText>
  readonly texts: (runId: string) => Promise<ReadonlyArray<CallText>>
  /** Answers an item; resolves to what leads on. */
  readonly answer: (runId: string, item: string, answer: string) => Promise<{ readonly next: string }>
  /** Calls `onEvent` for the events of the run behind `since`, until the returned function is called. */
  readonly follow: (runId: string, since: number, onEvent: () => void) => () => void
}

/** How long until a broken stream is opened again, in milliseconds. */
const again = 2000

export const connect = (): Connection => {
  const authorization = `Bearer ${keyOf()}`
  const ask = async <A>(path: string, init: RequestInit = {}): Promise<A> => {
    const reply = await fetch(path, { ...init, headers: { ...init.headers, authorization } })
    const body = await reply.json()
    if (!reply.ok) throw new Refused(String(body.error?.message ?? reply.statusText))
    return body
  }
  const pathOf = (runId: string, rest = ""): string => `/api/runs/${encodeURIComponent(runId)}${rest}`
  return {
    runs: () => ask("/api/runs"),
    run: (runId) => ask(pathOf(runId)),
    text: (runId, call) => ask(pathOf(runId, `/calls/${call}`)),
    texts: (runId) => ask(pathOf(runId, "/calls")),
    answer: (runId, item, answer) =>
      ask(pathOf(runId, "/answers"), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ item, answer })
      }),
    follow: (runId, since, onEvent) => {
      // The last event that came: a stream that broke off or ended goes on behind it.
      let last = since
      const stop = new AbortController()
      const listen = async (): Promise<void> => {
        const reply = await fetch(pathOf(runId, `/events?since=${last}`), {
          headers: { authorization },
          signal: stop.signal
        })
        const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
        if (!reply.ok || reader === undefined) return
        for (;;) {
          const { done, value = "" } = await reader.read()
          if (done) return
          const id = [...value.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]
          if (id === undefined) continue
          last = Number(id)
          onEvent()
        }
      }
      const keepOn = (): void => {
        if (stop.signal.aborted) return
        void listen()
          .catch(() => undefined)
          .then(() => setTimeout(keepOn, again))
      }
      keepOn()
      return () => stop.abort()
    }
  }
}
