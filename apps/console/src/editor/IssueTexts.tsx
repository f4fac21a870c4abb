import type { Issue } from "./Fields.ts"

/** What is wrong with an input, where no field of its own can say it. */
export const IssueTexts = ({ issues }: { readonly issues: ReadonlyArray<Issue> }) =>
  issues.map(({ message }, at) => (
    <p key={at} className="bad small" role="alert">
      {message}
    </p>
  ))
