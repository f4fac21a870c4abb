import type { Schemas } from "../api/Client.ts"
import { duplicateAnnotations } from "../editor/AnnotationRows.tsx"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import {
  emptyGeneral,
  GeneralCard,
  generalOf,
  type GeneralValues,
  labeledMetadataOf,
  withText,
} from "../editor/General.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"

type Service = Schemas["ServiceDefinition"]

/** The form of a service. */
export const ServiceForm = ({
  edited,
  initialProject = "default",
}: {
  readonly edited: Service | undefined
  readonly initialProject?: string
}) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<GeneralValues, Service>("Service", {
    newValues: () => ({ ...emptyGeneral, project: initialProject }),
    valuesOf: generalOf,
    definitionOf: (values) =>
      ({
        apiVersion,
        kind: "Service",
        metadata: labeledMetadataOf(values),
        spec: withText("description", values.description),
      }) as Service,
    edited,
    ownIssues: duplicateAnnotations,
  })
  return (
    <Editor draft={draft} submitLabel={isNew ? t("Create service") : t("Save service")} listHref="/services">
      {() => <GeneralCard draft={draft} isNew={isNew} hasLabels />}
    </Editor>
  )
}
