import type { TemplateIssueCode } from "../codec/Issue.ts"

/** Most issues that one template, or one list of template fields, is answered with. */
export const templateIssuesMax = 100

/** One thing that is wrong with a template. Source: spec/templates §2. */
export interface TemplateIssue {
  readonly code: TemplateIssueCode
  /** What is wrong, as a sentence. */
  readonly message: string
  /** Where it is: both from 1; a column counts UTF-16 code units, as editors do. */
  readonly line: number
  readonly column: number
  /** What to write instead, as a sentence. */
  readonly hint?: string
}

/** An issue before its place is counted in lines: `at` is an offset into the template. */
export interface IssueAt extends Omit<TemplateIssue, "line" | "column"> {
  readonly at: number
}

/** Counts lines and columns of issues, which come back in the order of their places; all in one pass. */
export const locateIssues = (text: string, issues: ReadonlyArray<IssueAt>): ReadonlyArray<TemplateIssue> => {
  let line = 1
  let lineStart = 0
  return issues
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, ...issue }) => {
      lineBreak.lastIndex = lineStart
      while (lineBreak.test(text) && lineBreak.lastIndex <= at) {
        line += 1
        lineStart = lineBreak.lastIndex
      }
      return { ...issue, line, column: at - lineStart + 1 }
    })
}

const lineBreak = /\r\n|\n|\r/g
