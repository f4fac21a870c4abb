import { Button } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { apiErrorOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { t } from "../language/Text.tsx"
import type { WrittenAnnotation } from "./SloAnnotations.tsx"

/** Says that an annotation was deleted, and adds it again on request. */
export const DeletedAnnotation = ({
  project,
  name,
  annotation: { kind, title, objective, text, url, from, to, labels },
}: DefinitionKey & { readonly annotation: WrittenAnnotation }) => {
  const queryClient = useQueryClient()
  const undo = useMutation({
    mutationFn: () =>
      client.POST("/api/slos/{sloName}/annotations", {
        params: { path: { sloName: name }, header: { project } },
        body: { kind, title, objective, text, url, from, to, labels: labels && copied(labels) },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  if (undo.isSuccess) return t("The annotation was restored.")
  return (
    <>
      {t("The annotation was deleted.")}{" "}
      <Button variant="subtle" size="compact-sm" loading={undo.isPending} onClick={() => undo.mutate()}>
        {t("Undo")}
      </Button>
      {undo.error !== null && (
        <span className="bad" role="alert">
          {apiErrorOf(undo.error).message}
        </span>
      )}
    </>
  )
}

const copied = (labels: NonNullable<WrittenAnnotation["labels"]>): Record<string, Array<string>> =>
  Object.fromEntries(Object.entries(labels).map(([key, values]) => [key, [...values]]))
