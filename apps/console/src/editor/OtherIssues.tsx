import type { DraftFields } from "./Fields.ts"

/** What is wrong and shown at no field. To be rendered after the fields. */
export const OtherIssues = ({ draft }: { readonly draft: DraftFields }) =>
  draft.otherIssues().map(({ message }, at) => (
    <p key={at} className="bad small" role="alert">
      {message}
    </p>
  ))
