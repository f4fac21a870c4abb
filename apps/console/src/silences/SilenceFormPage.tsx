import { Group, TextInput } from "@mantine/core"
import rules from "virtual:rules/AlertSilence"
import css from "../components/Form.module.css"
import { bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { optionalText, requiredText } from "../editor/Fields.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { GeneralCard, newMetadata } from "../editor/General.tsx"
import { keyNames, keyOf, NameList } from "../editor/NameList.tsx"
import { newPeriod, PeriodCard, showPeriod } from "../editor/Period.tsx"
import { usePreview } from "../editor/Preview.ts"
import { SloSelectionCard } from "../editor/SloSelection.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { SilenceCoverage } from "./SilenceCoverage.tsx"
import type { AlertSilence } from "./SilenceText.tsx"

/** Creates a silence; with `project` and `name`, edits one. What it covers is shown beside it. */
const SilenceFormPage = (key: Partial<DefinitionKey>) => (
  <FormPage kind="alertsilences" {...key}>
    {(edited) => <SilenceForm edited={edited} />}
  </FormPage>
)
export default SilenceFormPage

/** A new silence, from the parameters of the address: an SLO as `project/name`, and a policy. */
const newSilence = (apiVersion: string, search: URLSearchParams) => {
  const slo = keyOf(search.get("slo") ?? "")
  const policy = search.get("policy") ?? ""
  return {
    apiVersion,
    kind: "AlertSilence",
    metadata: newMetadata(slo.project || undefined),
    spec: {
      description: undefined,
      slo: slo.name,
      sloLabels: undefined,
      alertPolicy: policy === "" ? undefined : { name: policy },
      period: newPeriod(),
      recurrence: undefined,
      notifyBeforeEnd: undefined,
    },
  } as object as AlertSilence
}

const noticePath = "spec.notifyBeforeEnd"

const SilenceForm = ({ edited }: { readonly edited: AlertSilence | undefined }) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<AlertSilence>("AlertSilence", {
    rules,
    initial: () => newSilence(apiVersion, new URLSearchParams(location.search)),
    show: ({ spec }) => showPeriod(spec),
    edited,
  })
  const { at, put, field, hint, errorOf } = draft
  const before = field(`${noticePath}.before`, optionalText)
  const keys = keyNames(at(`${noticePath}.alertMethods`), at("metadata.project") as string)
  const names = keys.format(at(`${noticePath}.alertMethods`))
  const methods = useDocuments("alertmethods")
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create silence") : t("Save silence")}
      listHref="/silences"
      preview={<Preview definition={draft.definition} />}
    >
      <GeneralCard draft={draft} isNew={isNew} />
      <SloSelectionCard
        draft={draft}
        label={t("What to silence")}
        path="spec.slo"
        byName={t("One SLO")}
        aside={
          <TextInput
            {...field("spec.alertPolicy.name", optionalText, "spec.alertPolicy")}
            label={t("Alert policy")}
            description={hint("spec.alertPolicy", t("Default: all alert policies, and no-data alerts."))}
            spellCheck={false}
          />
        }
      >
        <TextInput
          {...field("spec.slo", requiredText)}
          label={t("SLO")}
          description={t("Name of the SLO.")}
          spellCheck={false}
        />
      </SloSelectionCard>
      <PeriodCard draft={draft} startDescription={t("Default: now.")} />
      <Card title={t("Notice")}>
        <Group className={css.pair ?? ""} gap="sm" align="flex-start">
          <TextInput
            {...before}
            label={t("Notify before the end")}
            description={hint(before.id, t("For example 15m."))}
          />
        </Group>
        <NameList
          id={`${noticePath}.alertMethods`}
          legend={t("Alert methods")}
          description={t("Notified once before each end of the silence.")}
          names={names}
          choices={methods.data?.map(({ metadata }) => `${metadata.project}/${metadata.name}`) ?? []}
          addLabel={t("Add alert method")}
          error={errorOf(`${noticePath}.alertMethods`, `${noticePath}.alertMethods`, noticePath)}
          onChange={(next) =>
            put({ [`${noticePath}.alertMethods`]: next.length === 0 ? undefined : keys.parse(next) })
          }
        />
      </Card>
    </Editor>
  )
}

const Preview = ({ definition }: { readonly definition: AlertSilence }) => {
  const { preview, error } = usePreview("silence-preview", definition, (body, signal) =>
    bodyOf(client.POST("/api/alertsilences/preview", { body, signal })),
  )
  return (
    <>
      <ErrorNotice error={error} />
      {preview !== undefined ? (
        <SilenceCoverage coverage={preview} />
      ) : (
        <Card title={t("Preview")}>
          <p className="dim">
            {t(
              "Enter what to silence and for how long to see the SLOs and open alerts that the silence covers.",
            )}
          </p>
        </Card>
      )}
    </>
  )
}
