import type { Issue } from "@tocsin/domain/codec"

/**
 * The issues as the service's Terraform provider reads them (spec/clients §9): a first title that begins with `Validation for`
 * fails the plan, any other is a warning. What a definition refers to may be in the same plan.
 */
export const planIssues = (
  issues: ReadonlyArray<Issue>,
  userAgent: string | undefined,
): ReadonlyArray<Issue> => {
  if (userAgent?.startsWith("terraform-") !== true) return issues
  const isReference = ({ code }: Issue) => code === "not_found"
  const failed = issues
    .filter((issue) => !isReference(issue))
    .map((issue): Issue => ({
      ...issue,
      message: `Validation for ${issue.path === "" ? "the definition" : issue.path} has failed: ${issue.message}`,
    }))
  return [...failed, ...issues.filter(isReference)]
}
