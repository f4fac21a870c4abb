import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { t } from "../language/Text.tsx"

/** What people call the objectives of an SLO, by their names; without a name, the composite. */
export const useObjectiveNames = (slo: DefinitionKey): ((name: string | undefined) => string) => {
  const { data } = useDocuments("slos", slo)
  return (name) =>
    name === undefined
      ? t("Composite")
      : data?.[0]?.spec.objectives.find((each) => each.name === name)?.displayName || name
}
