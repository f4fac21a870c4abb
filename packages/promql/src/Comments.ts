import type { SyntaxNode } from "@lezer/common"
import { parser } from "@prometheus-io/lezer-promql"

/** A valid query without its comments: the other parts stay where they are. */
export const withoutComments = (
  tree: SyntaxNode,
  text: string,
): { readonly tree: SyntaxNode; readonly text: string } => {
  const comments = text.includes("#") ? commentsOf(tree) : []
  if (comments.length === 0) return { tree, text }
  const uncommented = withoutSpans(text, comments)
  return { tree: parser.parse(uncommented).topNode, text: uncommented }
}

/** Comments are parts of the tree like others. */
const commentsOf = (root: SyntaxNode): ReadonlyArray<Span> => {
  const comments: Array<Span> = []
  root.cursor().iterate(({ name, from, to }) => {
    if (name === "LineComment") comments.push({ from, to })
  })
  return comments
}

interface Span {
  readonly from: number
  readonly to: number
}

/** The text with spaces instead of some parts, so that the others stay where they are. */
export const withoutSpans = (text: string, spans: ReadonlyArray<Span>): string => {
  let [without, end] = ["", 0]
  for (const { from, to } of spans) {
    without += text.slice(end, from) + " ".repeat(to - from)
    end = to
  }
  return without + text.slice(end)
}
