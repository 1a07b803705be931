// An app with a database: a program asks models about invoices and writes what they say, each row in a step, so that it is
// written once, however often the app is killed and started again.
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Layer, Schema } from "effect"
import { Alembic, Hooks } from "alembic"

export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  message: Schema.String
}) {}

/** The app's own service. */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly invoices: Effect.Effect<
      ReadonlyArray<{ readonly id: number; readonly text: string }>,
      LedgerError
    >
    /** The number of the row. */
    readonly book: (invoice: number, account: string) => Effect.Effect<number, LedgerError>
    readonly rows: Effect.Effect<number, LedgerError>
  }
>()("ledger/Ledger") {
  static readonly layer = (path: string): Layer.Layer<Ledger> =>
    Layer.effect(
      Ledger,
      Effect.gen(function* () {
        const database = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(path)),
          (open) => Effect.sync(() => open.close())
        )
        database.exec("create table if not exists invoice (id integer primary key, text not null)")
        database.exec(
          "create table if not exists booking (id integer primary key, invoice integer, account text)"
        )
        database.exec("insert or ignore into invoice values (1, 'Paper, 20 reams'), (2, 'Hosting, March')")
        const query = <A>(run: () => A) =>
          Effect.try({ try: run, catch: (cause) => new LedgerError({ message: String(cause) }) })
        const invoices = database.prepare("select id, text from invoice order by id")
        const insert = database.prepare("insert into booking (invoice, account) values (?, ?)")
        const count = database.prepare("select count(*) as n from booking")
        return Ledger.of({
          invoices: query(() =>
            invoices.all().map(({ id, text }) => ({ id: Number(id), text: String(text) }))
          ),
          book: (invoice, account) => query(() => Number(insert.run(invoice, account).lastInsertRowid)),
          rows: query(() => Number(count.get()?.["n"] ?? 0))
        })
      })
    )
}

const Booked = Schema.Array(Schema.Struct({ invoice: Schema.Int, row: Schema.Int }))

const bookAll = Effect.gen(function* () {
  const h = yield* Hooks
  const ledger = yield* Ledger
  // Not journaled: it is read again when the run goes on.
  const invoices = yield* ledger.invoices
  return yield* Effect.forEach(
    invoices,
    Effect.fnUntraced(function* ({ id, text }) {
      const account = yield* h.agent(`Which account is this for? ${text}`)
      const row = yield* Alembic.step(
        "book",
        { key: String(id), success: Schema.Int, error: LedgerError },
        ledger.book(id, account.ok ? account.text : "unknown")
      )
      return { invoice: id, row }
    })
  )
})

/** Books every invoice once. The result has the program's own type. */
export const bookInvoices = Effect.gen(function* () {
  const alembic = yield* Alembic
  return yield* alembic.runProgram(
    { program: "book-invoices-1", goal: "Every invoice has an account", success: Booked, error: LedgerError },
    bookAll
  )
})
