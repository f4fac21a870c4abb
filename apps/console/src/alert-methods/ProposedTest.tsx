import { api } from "../api/Queries.ts"
import { TestCard } from "../components/TestCard.tsx"
import { named } from "../editor/Preview.ts"
import { t } from "../language/Text.tsx"
import type { MethodDraft } from "./FormValues.ts"
import { TestOutcome } from "./TestPanel.tsx"

/** Sends a test notification through what is entered, before it is saved. */
export const ProposedTest = ({ draft: { definition, issues } }: { readonly draft: MethodDraft }) => {
  const test = api.useMutation("post", "/api/alertmethods/test")
  return (
    <TestCard
      label={t("Send test")}
      hint={
        issues.every(({ path }) => path === "metadata.name")
          ? t("Sends a signed notification with sample values to the URL that is entered. Nothing is stored.")
          : t("Enter a URL and the content to send a test before you save. Nothing is stored.")
      }
      test={test}
      onTest={() => test.mutate({ body: { definition: named(definition) } })}
    >
      {test.data !== undefined && <TestOutcome test={test.data} />}
    </TestCard>
  )
}
