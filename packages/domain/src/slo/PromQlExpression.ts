import { mapped } from "../codec/Codec.ts"
import type { IssueList } from "../codec/Issue.ts"
import { string } from "../codec/Leaves.ts"
import type { PromQlContext } from "./PromQlCheck.ts"

/** Longest PromQL expression of an indicator, in characters. */
export const promqlMaxCharacters = 10_000

/** A string of PromQL that is checked when it is applied. */
export const checkedPromQl = (format: { readonly pattern: RegExp; readonly message: string }) =>
  mapped(string({ max: promqlMaxCharacters, format }), {
    decode: (text: string, path: string, issues: IssueList, { checkPromQl }: PromQlContext) => {
      const problems = checkPromQl?.(text) ?? []
      for (const problem of problems) issues.add(path, "invalid_format", problem)
      return problems.length === 0 ? text : undefined
    },
    encode: (text: string) => text,
  })

/** A PromQL expression. */
export const expression = checkedPromQl({ pattern: /\S/, message: "must be a PromQL expression" })
