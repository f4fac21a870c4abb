import { Group, TextInput } from "@mantine/core"
import css from "../components/Form.module.css"
import { bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { FormPage } from "../editor/FormPage.tsx"
import { GeneralCard, generalOf, type GeneralValues, newMetadata } from "../editor/General.tsx"
import { keyOf, keyText, NameList } from "../editor/NameList.tsx"
import { emptyPeriod, PeriodCard, periodOf, type PeriodValues, periodValuesOf } from "../editor/Period.tsx"
import { usePreview } from "../editor/Preview.ts"
import { SloSelectionCard, type SloSelectionValues } from "../editor/SloSelection.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { SilenceCoverage } from "./SilenceCoverage.tsx"
import type { AlertSilence } from "./SilenceText.tsx"

/** Creates a silence; with `project` and `name`, edits one. What it covers is shown beside it. */
const SilenceFormPage = ({ project, name }: Partial<DefinitionKey>) => (
  <FormPage
    kind="alertsilences"
    edited={project === undefined || name === undefined ? undefined : { project, name }}
    createTitle={t("Create silence")}
    list={{ href: "/silences", text: t("Silences") }}
    folder="/silences"
    missing={t("Silence {name} was not found in project {project}.", { name, project })}
  >
    {(edited) => <SilenceForm edited={edited} />}
  </FormPage>
)
export default SilenceFormPage

interface SilenceValues extends GeneralValues, PeriodValues, SloSelectionValues {
  readonly slo: string
  readonly alertPolicy: string
  readonly before: string
  /** Each `project/name`. */
  readonly methods: ReadonlyArray<string>
}

/** The values of a new silence, from the parameters of the address: an SLO as `project/name`, and a policy. */
const newValues = (search: URLSearchParams): SilenceValues => {
  const slo = search.get("slo") ?? ""
  const key = slo === "" ? undefined : keyOf(slo)
  return {
    metadata: newMetadata(key?.project),
    spec: {},
    ...emptyPeriod(),
    isByLabels: false,
    slo: key?.name ?? "",
    sloLabels: "",
    alertPolicy: search.get("policy") ?? "",
    before: "",
    methods: [],
  }
}

const valuesOf = (silence: AlertSilence): SilenceValues => {
  const { metadata, spec } = silence
  return {
    ...generalOf(silence),
    ...periodValuesOf(spec),
    isByLabels: spec.sloLabels !== undefined,
    slo: spec.slo ?? "",
    sloLabels: spec.sloLabels ?? "",
    alertPolicy: spec.alertPolicy?.name ?? "",
    before: spec.notifyBeforeEnd?.before ?? "",
    methods: (spec.notifyBeforeEnd?.alertMethods ?? []).map((key) => keyText(key, metadata.project)),
  }
}

const definitionOf = (values: SilenceValues, apiVersion: string): AlertSilence => {
  const { isByLabels, slo, sloLabels, alertPolicy, before, methods } = values
  return {
    apiVersion,
    kind: "AlertSilence",
    metadata: values.metadata,
    spec: {
      ...values.spec,
      ...(isByLabels ? { sloLabels: sloLabels.trim() } : { slo: slo.trim() }),
      ...(alertPolicy.trim() !== "" && { alertPolicy: { name: alertPolicy.trim() } }),
      ...periodOf(values),
      ...((before.trim() !== "" || methods.length > 0) && {
        notifyBeforeEnd: { before: before.trim(), alertMethods: methods.map(keyOf) },
      }),
    },
  } as AlertSilence
}

const SilenceForm = ({ edited }: { readonly edited: AlertSilence | undefined }) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<SilenceValues, AlertSilence>("AlertSilence", {
    newValues: () => newValues(new URLSearchParams(location.search)),
    valuesOf,
    definitionOf: (values) => definitionOf(values, apiVersion),
    edited,
  })
  const { values, set, input, errorOf } = draft
  const methods = useDocuments("alertmethods")
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create silence") : t("Save silence")}
      listHref="/silences"
      preview={<Preview definition={draft.definition} />}
    >
      {() => (
        <>
          <GeneralCard draft={draft} isNew={isNew} />
          <SloSelectionCard
            draft={draft}
            label={t("What to silence")}
            byName={t("One SLO")}
            aside={
              <TextInput
                {...input("alertPolicy", "spec.alertPolicy")}
                label={t("Alert policy")}
                description={t("Optional. Default: all alert policies, and alerts on missing data.")}
                spellCheck={false}
              />
            }
          >
            <TextInput
              {...input("slo", "spec.slo")}
              label={t("SLO")}
              description={t("Name of the SLO.")}
              spellCheck={false}
            />
          </SloSelectionCard>
          <PeriodCard draft={draft} startDescription={t("Default: now.")} />
          <Card title={t("Notice")}>
            <Group className={css.pair ?? ""} gap={14} align="flex-start">
              <TextInput
                {...input("before", "spec.notifyBeforeEnd.before")}
                label={t("Notify before the end")}
                description={t("Optional. For example 15m.")}
              />
            </Group>
            <NameList
              id="methods"
              legend={t("Alert methods")}
              description={t("Notified once before each end of the silence.")}
              names={values.methods}
              choices={methods.data?.map(({ metadata }) => `${metadata.project}/${metadata.name}`) ?? []}
              addLabel={t("Add alert method")}
              error={errorOf("methods", "spec.notifyBeforeEnd.alertMethods", "spec.notifyBeforeEnd")}
              onChange={(names) => set({ methods: names })}
            />
          </Card>
        </>
      )}
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
