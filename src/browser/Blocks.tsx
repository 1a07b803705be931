// Blocks: headed texts as they were said. A text is never markup here: it is the content of an element.
import type { TextBlock } from "./RunPage.ts"

export const Blocks = ({ blocks }: { readonly blocks: ReadonlyArray<TextBlock> }) => (
  <>
    {blocks.map(({ head, text }) => (
      <section key={head}>
        <h4>{head}</h4>
        <pre tabIndex={0} aria-label={head}>
          {text}
        </pre>
      </section>
    ))}
  </>
)
