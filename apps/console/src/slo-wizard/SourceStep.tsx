import { Button, Group, SegmentedControl, Textarea, TextInput } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { Link } from "wouter"
import formCss from "../components/Form.module.css"
import { useDocuments } from "../api/Definitions.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Select } from "../components/Filters.tsx"
import { Plus } from "../components/Icon.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { displayNameField } from "../editor/General.tsx"
import { labelTyping } from "../editor/Labels.ts"
import { LabelsInput } from "../editor/LabelsInput.tsx"
import { keyOf, keyText } from "../editor/NameList.tsx"
import { t } from "../language/Text.tsx"
import { minuteMs, minuteOf } from "../time/Minute.ts"
import type { Wizard } from "./Wizard.ts"
import { annotationLines, chooseSource, promPath, type Source, sourceOf } from "./SloDocument.ts"

/** Where the counts of the SLO come from, and what it is called. */
export const SourceStep = ({ wizard }: { readonly wizard: Wizard }) => (
  <>
    <DataSource wizard={wizard} />
    <Names wizard={wizard} />
  </>
)

const DataSource = ({ wizard }: { readonly wizard: Wizard }) => {
  const { slo, draft, edited } = wizard
  const source = sourceOf(slo)
  const key = slo.spec.indicator?.prometheus?.dataSource
  const keyPath = `${promPath}.dataSource`
  const sources = useDocuments("datasources")
  const isOtlp = edited?.spec.indicator?.otlp !== undefined
  return (
    <Card title={t("Data source")}>
      <SegmentedControl
        aria-label={t("Where the counts come from")}
        value={source}
        onChange={(next) => chooseSource(draft, next as Source, edited)}
        data={[
          { value: "dataSource", label: t("Prometheus") },
          { value: "pushed", label: isOtlp ? t("OTLP metrics") : t("Pushed counts") },
          ...(edited?.spec.indicator?.prometheus?.url === undefined
            ? []
            : [{ value: "url", label: t("URL") }]),
          ...(edited?.spec.indicator?.metricSource === undefined
            ? []
            : [{ value: "other", label: t("Metric source") }]),
        ]}
      />
      {source === "dataSource" && (
        <>
          <Select
            id={keyPath}
            label={t("Data source")}
            all={t("Select a data source")}
            value={key === undefined || key.name === "" ? "" : keyText(key, slo.metadata.project)}
            error={draft.errorOf(keyPath, keyPath, `${promPath}.url`)}
            onChange={(next) => draft.put({ [keyPath]: next === "" ? { name: "" } : keyOf(next) })}
            data={(sources.data ?? []).map(({ metadata: { project, name, displayName } }) => ({
              value: `${project}/${name}`,
              label: `${displayName ?? name} (${project})`,
            }))}
          />
          {sources.data?.length === 0 && (
            <p className="dim">{t("No data sources yet. Your draft is kept while you create one.")}</p>
          )}
          <Group>
            <Button component={Link} href="/data-sources/new" variant="default" leftSection={<Plus />}>
              {t("Create data source")}
            </Button>
          </Group>
        </>
      )}
      {source === "url" && (
        <p className="dim">
          {t("Reads {url} without credentials.", { url: edited?.spec.indicator?.prometheus?.url ?? "" })}
        </p>
      )}
      {source === "pushed" &&
        (isOtlp ? (
          <Notice kind="info">
            {t("The metrics that are counted can be changed as YAML in the last step.")}
          </Notice>
        ) : (
          <>
            <p className="dim">
              {t(
                "Your program sends the good and total events of each minute once the SLO exists. To count metrics that arrive over OTLP, add spec.indicator.otlp in the last step.",
              )}
            </p>
            <CodeBlock text={pushCommand(wizard)} label={t("Command that sends counts")} isWrapped />
          </>
        ))}
    </Card>
  )
}

/** Its names come from the form; the minute is an example. */
const pushCommand = ({
  slo: {
    metadata: { name, project },
    spec: { objectives },
  },
}: Wizard): string => {
  const counts = {
    objective: objectives[0]?.name || "objective-1",
    timestamp: new Date(minuteOf(Date.now()) - minuteMs).toISOString(),
    good: 998,
    total: 1_000,
  }
  return `curl -X POST '${location.origin}/api/slos/${name || "NAME"}/counts' \\
  -H 'Authorization: Bearer TOKEN' -H 'Project: ${project}' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify([counts])}'`
}

const Names = ({ wizard }: { readonly wizard: Wizard }) => {
  const { slo, draft, existing, edited } = wizard
  const { field } = draft
  const isNew = edited === undefined
  const { project } = slo.metadata
  const { service } = slo.spec
  const createsProject = project !== "" && existing.projects?.has(project) === false
  const createsService = service !== "" && existing.services?.has(`${project}/${service}`) === false
  const services = [...(existing.services ?? [])]
    .filter((key) => key.startsWith(`${project}/`))
    .map((key) => key.slice(project.length + 1))
  return (
    <Card title={t("Name and service")}>
      <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
        <TextInput
          {...displayNameField(draft, isNew)}
          label={t("Display name")}
          description={draft.hint("metadata.displayName")}
        />
        <NameInput
          {...field("metadata.name")}
          label={t("Name")}
          description={
            isNew ? t("Derived from the display name. You can change it.") : t("Cannot be changed.")
          }
          readOnly={!isNew}
        />
      </Group>
      <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
        <NameInput
          {...field("metadata.project")}
          label={t("Project")}
          suggestions={[...(existing.projects ?? [])].map((value) => ({ value }))}
          description={
            isNew ? (createsProject ? t("Is created with the SLO.") : undefined) : t("Cannot be changed.")
          }
          readOnly={!isNew}
        />
        <NameInput
          {...field("spec.service")}
          label={t("Service")}
          suggestions={services.map((value) => ({ value }))}
          description={
            createsService ? t("Is created with the SLO.") : t("What the SLO is about, such as checkout.")
          }
        />
      </Group>
      <Textarea {...field("spec.description")} label={t("Description")} rows={2} />
      <LabelsInput {...field("metadata.labels", labelTyping)} />
      <Textarea
        {...field("metadata.annotations", annotationLines)}
        label={t("Annotations")}
        description={t("One key: value pair per line.")}
        placeholder="team: payments"
        autosize
        minRows={1}
        spellCheck={false}
      />
    </Card>
  )
}
