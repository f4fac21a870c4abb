import { Notice } from "../components/Notice.tsx"
import type { DraftFields } from "./Fields.ts"

/** What is wrong and shown at no field. To be rendered after the fields, which say what they show when they are rendered. */
export const OtherIssues = ({
  draft,
  hasPaths = false,
}: {
  readonly draft: DraftFields
  /** The user sees the document. */
  readonly hasPaths?: boolean
}) => {
  const others = draft.otherIssues()
  return (
    others.length > 0 && (
      <Notice kind="bad" role="alert">
        {others.map(({ path, message }) => (
          <p key={`${path} ${message}`}>{hasPaths && path !== "" ? `${path}: ${message}` : message}</p>
        ))}
      </Notice>
    )
  )
}
