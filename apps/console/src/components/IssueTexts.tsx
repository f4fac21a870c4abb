import type { ErrorItem } from "../api/Client.ts"
import { ruleText } from "../api/Issues.ts"

/** What is wrong with an input, where no field of its own can say it. */
export const IssueTexts = ({ issues }: { readonly issues: ReadonlyArray<ErrorItem> }) =>
  issues.map(({ title, detail = title }, at) => (
    <p key={at} className="bad small" role="alert">
      {ruleText(detail)}
    </p>
  ))
