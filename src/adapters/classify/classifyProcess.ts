// What the end of a subprocess means: how it was started, who killed it, its exit code, and words on its output only
// where it failed (a good answer may talk about rate limits). Reading a tool's own format is readCli.ts's.
import { Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError, type ModelError, RETRYABLE_CODES, type TokenUsage } from "../../domain/ModelError.ts"
import type { ProcessEnd } from "../../kernel/subprocess/Subprocess.ts"
import type { AttemptSuccess } from "../Adapter.ts"
import { type ErrorEvidence, readFailedBody } from "./classifyBody.ts"
import { type Verdict, verdictOfCode } from "./classifyCodes.ts"
import { type Reading, weigh } from "./classifyHttp.ts"
import { type CliFormat, type CliReading, readCli } from "./readCli.ts"
import { parseJson } from "./readJson.ts"
import { readRetryHint } from "./retryHint.ts"

const spawnFailure = ({
  code,
  missing,
  thrownSynchronously,
  unregistered
}: NonNullable<ProcessEnd["spawnError"]>): ModelError => {
  const detail = { detail: { codes: [code] } }
  if (code === "E2BIG") {
    return makeError(
      "invalid_input",
      "the command line is longer than the system allows; feed the prompt on stdin",
      detail
    )
  }
  if (/^(?:EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test(code)) {
    return makeError("unknown", `the command could not be started just now (${code})`, {
      retryable: true,
      ...detail
    })
  }
  if (thrownSynchronously === true || code.startsWith("ERR_INVALID")) {
    return makeError(
      "invalid_input",
      `the command could not be started with these arguments (${code})`,
      detail
    )
  }
  if (unregistered === true) {
    return makeError(
      "client_error",
      `the command was not started, since the run's directory did not take its registration (${code})`,
      detail
    )
  }
  const what =
    code === "ENOENT"
      ? missing === "cwd"
        ? "the working directory does not exist"
        : "the command was not found"
      : code === "EACCES"
        ? "the command may not be executed"
        : "the command could not be started"
  return makeError("client_error", `${what} (${code})`, detail)
}

/** Anchored at the beginning of a line of a failed run; the first that matches speaks. */
const linePhrases: ReadonlyArray<readonly [RegExp, Verdict]> = [
  [/^(?:claude ai )?usage limit reached/i, { code: "quota_exhausted" }],
  [/^you(?:['’]ve| have) (?:hit|reached) your (?:[\w-]+ ){0,3}limit/i, { code: "quota_exhausted" }],
  [/^(?:[\w-]+ )?(?:5-hour|weekly|daily|monthly|session|opus) limit reached/i, { code: "quota_exhausted" }],
  [/^(?:your )?credit balance is too low/i, { code: "quota_exhausted" }],
  [
    /^(?:you (?:have )?exceeded your current quota|quota exceeded|insufficient[_ ]quota|you(?:['’]re| are) out of (?:extra )?(?:usage|credits))/i,
    { code: "quota_exhausted" }
  ],
  [
    /^(?:you have exhausted your (?:daily|capacity)|exhausted your daily quota)/i,
    { code: "quota_exhausted" }
  ],
  [
    /^(?:invalid (?:x-)?api[- ]?key|incorrect api key|api key not valid|missing api key|not logged in|please (?:run \/login|log ?in)|(?:failed to authenticate|authentication (?:failed|error|required))|oauth (?:token|session)[^.]{0,40}(?:expired|revoked)|unauthorized|401 unauthorized|please set an auth method|your organization has disabled|this organization has been disabled|token (?:data is not available|expired)|login required)/i,
    { code: "auth" }
  ],
  [
    /^(?:prompt is too long|input is too long|your input exceeds the context window|codex ran out of room in the model's context window|conversation too long|context (?:window|length) exceeded)/i,
    { code: "context_length" }
  ],
  [
    /^(?:claude code is unable to respond|[\w ]{0,20}unable to respond to this request)[^\n]{0,60}usage policy/i,
    { code: "content_filtered" }
  ],
  [
    /^(?:stream disconnected|connection (?:error|reset|refused|closed|lost|failed)|fetch failed|socket hang up|network error|error sending request|unable to connect|(?:read |connect |write )?(?:ECONNRESET|ECONNREFUSED|EPIPE|EAI_AGAIN))/i,
    { code: "network" }
  ],
  [/^(?:getaddrinfo )?ENOTFOUND/i, { code: "network", retryable: false, breaker: "neutral" }],
  [
    /^(?:self[- ]signed certificate|unable to verify the first certificate|certificate has expired)/i,
    { code: "network", retryable: false, breaker: "neutral" }
  ],
  [
    /^(?:request timed out|(?:the )?(?:operation|request|connection) timed out|timed out waiting|timeout (?:waiting|exceeded)|(?:connect )?ETIMEDOUT)/i,
    { code: "timeout" }
  ],
  [
    /^(?:rate limit (?:reached|exceeded)|rate limited|too many requests|429 too many requests|server is temporarily limiting requests)/i,
    { code: "rate_limited" }
  ],
  [
    /^(?:overloaded|(?:the )?(?:model|server|service|system) is (?:currently )?(?:overloaded|at capacity|unavailable)|selected model is at capacity|internal server error|service unavailable|we(?:['’]re| are) currently experiencing high demand)/i,
    { code: "server_error" }
  ],
  [/^repeated 5\d\d errors|^repeated server overload/i, { code: "server_error" }]
]

const linePrefix =
  /^(?:\s|✘|✖|❌|⚠️?|\[(?:error|api error)[^\]]*\]:?|(?:fatal |api |execution )?error:?(?: when talking to \w+ api)?:?|error executing[^:]*:|[\w.]*(?:Error|Exception):|\d{4}-\d\d-\d\dT[\d:.]+Z\s+(?:ERROR|WARN)[^:]*:)+/i

/** "API Error: 429 {…}", "unexpected status 401 Unauthorized: …", "exceeded retry limit, last status: 429 …". */
const statusInText = (text: string): number | undefined => {
  const match =
    /^(?:[^\n]{0,20}\berror:?\s*)?\(?(?:status:? ?)?([45]\d\d)\b(?=\s*[\s{:()"-]|$)/i.exec(text) ??
    /\b(?:unexpected status|last status:|status code:?|http(?:\/[\d.]+)?|api error:?) ?\(?([45]\d\d)\b/i.exec(
      text
    )
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** What a line of a failed run means: its JSON, its status, its words. */
export const verdictOfText = (
  text: string
): { readonly verdict: Verdict; readonly error: ErrorEvidence } | undefined => {
  const bounded = text.trim().slice(0, 8192)
  const open = bounded.indexOf("{")
  const json = open === -1 || open > 200 ? undefined : parseJson(bounded.slice(open))
  const head = open === -1 ? bounded : bounded.slice(0, open)
  const status = statusInText(head)
  const read = readFailedBody(json)
  const error: ErrorEvidence = { ...read, message: read.message ?? bounded, status: read.status ?? status }
  if (error.status !== undefined || read.codes.some((code) => verdictOfCode(code) !== undefined)) {
    return { verdict: weigh(error, error.status ?? 0, true), error }
  }
  const line = (read.message ?? bounded).split("\n", 1)[0] ?? ""
  for (const candidate of [line, line.replace(linePrefix, "")]) {
    for (const [phrase, verdict] of linePhrases) if (phrase.test(candidate)) return { verdict, error }
  }
  return undefined
}

/** Epoch seconds (or ms) after a pipe: "Claude AI usage limit reached|1767229200". */
const epochHint = (text: string, now: number): number | undefined => {
  const digits = /\|\s*(\d{10}|\d{13})\b/.exec(text)?.[1]
  if (digits === undefined) return undefined
  const ms = Number(digits) * (digits.length === 10 ? 1000 : 1) - now
  return ms > 0 ? ms : undefined
}

const hinted = new Set(["rate_limited", "server_error", "timeout", "network", "quota_exhausted"])

/** An error with the hint that its text or JSON carries. */
const errorOfText = (
  label: string,
  text: string,
  verdict: Verdict,
  error: ErrorEvidence,
  reading: Reading,
  extra: { readonly detail: Json; readonly usage?: TokenUsage | undefined }
): ModelError => {
  const hint = hinted.has(verdict.code)
    ? (readRetryHint({ headers: {}, errors: error.errors, message: error.message }, reading.now) ??
      epochHint(text, reading.now))
    : undefined
  return makeError(verdict.code, `${label}: ${reading.clean((error.message ?? text).slice(0, 2000))}`, {
    retryable: verdict.retryable ?? RETRYABLE_CODES.has(verdict.code),
    ...(verdict.breaker !== undefined && { breaker: verdict.breaker }),
    ...(hint !== undefined && { retryAfterMs: hint }),
    ...(extra.usage !== undefined && { usage: extra.usage }),
    detail: extra.detail
  })
}

/** Errors that a tool calls by a name of its own, which its other lines (429s, attempts) do not tell apart. */
const namedErrors: Readonly<Partial<Record<CliFormat, ReadonlyArray<readonly [RegExp, Verdict]>>>> = {
  gemini: [
    [/\bTerminalQuotaError\b/, { code: "quota_exhausted" }],
    [/\bRetryableQuotaError\b/, { code: "rate_limited" }]
  ]
}

/** The last line of what a tool says of itself that has such a name. */
const namedVerdict = (
  format: CliFormat,
  text: string
): { readonly line: string; readonly verdict: Verdict } | undefined => {
  const names = namedErrors[format] ?? []
  for (const line of text.slice(-65_536).split("\n").toReversed()) {
    for (const [name, verdict] of names) if (name.test(line)) return { line: line.trim(), verdict }
  }
  return undefined
}

/** The tools' documented exit codes, and the shells'. */
const verdictOfExit = (format: CliFormat, exitCode: number | null): Verdict | undefined => {
  if (format === "gemini") {
    if (exitCode === 41) return { code: "auth" }
    if (exitCode === 42) return { code: "invalid_input" }
    if (exitCode === 44 || exitCode === 52 || exitCode === 55) return { code: "client_error" }
    if (exitCode === 53) return { code: "invalid_response" }
  }
  return exitCode === 127 || exitCode === 126 ? { code: "client_error" } : undefined
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? ""
const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? ""

const tail = (text: string, clean: (text: string) => string): string => clean(text.slice(-1500)).slice(0, 400)

/** The answer of a subprocess that ended, or the failure that it was. `label`: whose, as messages name it. */
export const readProcess = (
  label: string,
  format: CliFormat,
  end: ProcessEnd,
  reading: Reading
): Result.Result<AttemptSuccess, ModelError> => {
  const { exitCode, signal } = end
  if (end.killedBy === "deadline")
    return Result.fail(makeError("timeout", `${label}: no answer in time; it was ended`))
  if (end.killedBy === "output-cap") {
    return Result.fail(makeError("invalid_response", `${label}: more output than is accepted; it was ended`))
  }
  if (end.spawnError !== undefined) return Result.fail(spawnFailure(end.spawnError))
  const detail = {
    ...(exitCode !== null && { exitCode }),
    ...(signal !== null && { signal }),
    ...(end.stderr.trim() !== "" && { stderr: tail(end.stderr, reading.clean) }),
    ...(end.stdout.trim() !== "" && { stdout: tail(end.stdout, reading.clean) })
  }
  const failed = exitCode !== 0 || signal !== null
  // Killed by somebody else, most often for its memory: the same prompt would end the same way.
  if (signal !== null)
    return Result.fail(
      makeError("unknown", `${label}: ended by ${signal}, which we did not send`, { detail })
    )
  if (exitCode === 137)
    return Result.fail(makeError("unknown", `${label}: killed (exit ${exitCode})`, { detail }))
  const cli = readCli(label, format, end)
  if (cli.error !== undefined) return Result.fail(ofReport(label, format, cli, end, reading, detail))
  if (!failed) {
    if (cli.answer !== undefined) return cli.answer
    const said = format === "text" ? undefined : verdictOfText(firstLine(end.stdout))
    if (said !== undefined) {
      return Result.fail(
        errorOfText(label, firstLine(end.stdout), said.verdict, said.error, reading, { detail })
      )
    }
    return Result.fail(
      makeError("invalid_response", `${label}: ${cli.why ?? "no answer in its output"}`, {
        retryable: cli.retryable ?? false,
        detail
      })
    )
  }
  const named = namedVerdict(format, end.stderr)
  if (named !== undefined) {
    const error = { ...readFailedBody(undefined), message: named.line }
    return Result.fail(errorOfText(label, named.line, named.verdict, error, reading, { detail }))
  }
  const documented = verdictOfExit(format, exitCode)
  if (documented !== undefined) {
    return Result.fail(
      makeError(documented.code, `${label}: exit ${exitCode}${said(end, reading)}`, { detail })
    )
  }
  // A whole good answer and a non-zero exit contradict each other; its text is no evidence of anything.
  const texts =
    cli.answer !== undefined && format !== "text"
      ? [lastLine(end.stderr)]
      : [firstLine(end.stdout), firstLine(end.stderr), lastLine(end.stderr), lastLine(end.stdout)]
  for (const text of texts) {
    const found = verdictOfText(text)
    if (found !== undefined)
      return Result.fail(errorOfText(label, text, found.verdict, found.error, reading, { detail }))
  }
  return Result.fail(makeError("unknown", `${label}: exit ${exitCode}${said(end, reading)}`, { detail }))
}

const said = (end: ProcessEnd, { clean }: Reading): string => {
  const line = lastLine(end.stderr) || firstLine(end.stderr)
  return line === "" ? "" : `: ${clean(line.slice(0, 300))}`
}

/** The failure a tool reports in its own format. */
const ofReport = (
  label: string,
  format: CliFormat,
  cli: CliReading,
  end: ProcessEnd,
  reading: Reading,
  detail: Json
): ModelError => {
  const report = cli.error ?? { text: "" }
  const found = verdictOfText(report.text)
  const error = found?.error ?? { ...readFailedBody(undefined), message: report.text }
  // A subscription's window comes with a 429 of its own; the words tell it from a rate limit.
  const spent = found?.verdict.code === "quota_exhausted" ? found.verdict : undefined
  const verdict =
    report.verdict ??
    namedVerdict(format, `${end.stderr}\n${report.text}`)?.verdict ??
    spent ??
    (report.status === undefined ? undefined : weigh(error, report.status, true)) ??
    found?.verdict ??
    verdictOfExit(format, end.exitCode) ??
    ({ code: "unknown" } satisfies Verdict)
  return errorOfText(label, report.text, verdict, error, reading, { detail, usage: cli.usage })
}
