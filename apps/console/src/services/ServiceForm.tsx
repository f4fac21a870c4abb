import type { DefinitionDocument } from "@tocsin/api"
import rules from "virtual:rules/Service"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { GeneralCard, newMetadata } from "../editor/General.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"

type Service = DefinitionDocument<"Service">

/** The form of a service. */
export const ServiceForm = ({
  edited,
  initialProject,
}: {
  readonly edited: Service | undefined
  readonly initialProject: string
}) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<Service>("Service", {
    rules,
    initial: () =>
      ({ apiVersion, kind: "Service", metadata: newMetadata(initialProject), spec: {} }) as Service,
    edited,
  })
  return (
    <Editor draft={draft} submitLabel={isNew ? t("Create service") : t("Save service")} listHref="/services">
      <GeneralCard draft={draft} isNew={isNew} hasLabels />
    </Editor>
  )
}
