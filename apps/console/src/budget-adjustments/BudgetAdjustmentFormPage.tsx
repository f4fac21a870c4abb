import type { AdjustmentDocument } from "@tocsin/api"
import { Button, Group, SegmentedControl, Textarea, TextInput } from "@mantine/core"
import rules from "virtual:rules/BudgetAdjustment"
import { useState } from "react"
import css from "../components/Form.module.css"
import { bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, useSloNames } from "../api/Definitions.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { type DraftFields, numberText, requiredText } from "../editor/Fields.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { GeneralCard, newMetadata } from "../editor/General.tsx"
import { keyNames, keyOf, NameList } from "../editor/NameList.tsx"
import { newPeriod, PeriodCard, showPeriod } from "../editor/Period.tsx"
import { usePreview } from "../editor/Preview.ts"
import { SloSelectionCard } from "../editor/SloSelection.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { timeText } from "../time/TimeZone.ts"
import { isOfClients } from "./AdjustmentValues.ts"
import { BudgetEffects } from "./BudgetEffects.tsx"

/** Creates a budget adjustment; with `project` and `name`, edits one. */
const BudgetAdjustmentFormPage = (key: Partial<DefinitionKey>) => (
  <FormPage kind="budgetadjustments" {...key}>
    {(edited) =>
      edited !== undefined && isOfClients(edited) ? (
        <Notice kind="info">
          {t(
            "This budget adjustment has the public clients' format, which this form cannot edit. Edit it with such a client, or with tocsin edit.",
          )}
        </Notice>
      ) : (
        <Form edited={edited} />
      )
    }
  </FormPage>
)
export default BudgetAdjustmentFormPage

/** A new adjustment, from the parameters of the address: an SLO as `project/name`, and a range. */
const newAdjustment = (apiVersion: string, search: URLSearchParams) => {
  const slo = search.get("slo") ?? ""
  const timeOf = (name: string): string => {
    const time = Date.parse(search.get(name) ?? "")
    return Number.isNaN(time) ? "" : timeText(time)
  }
  return {
    apiVersion,
    kind: "BudgetAdjustment",
    metadata: newMetadata(slo === "" ? undefined : keyOf(slo).project),
    spec: {
      reason: "",
      slos: slo === "" ? [] : [keyOf(slo)],
      sloLabels: undefined,
      period: newPeriod(timeOf("from"), timeOf("to")),
      recurrence: undefined,
      set: undefined,
    },
  } as object as AdjustmentDocument
}

const Form = ({ edited }: { readonly edited: AdjustmentDocument | undefined }) => {
  const { apiVersion } = useSession()
  const draft = useDraft<AdjustmentDocument>("BudgetAdjustment", {
    rules,
    initial: () => newAdjustment(apiVersion, new URLSearchParams(location.search)),
    show: ({ spec }) => showPeriod(spec),
    edited,
  })
  const isNew = edited === undefined
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create budget adjustment") : t("Save budget adjustment")}
      listHref="/budget-adjustments"
      preview={<Preview definition={draft.definition} />}
    >
      <GeneralCard
        draft={draft}
        isNew={isNew}
        hasDescription={false}
        note={t(
          "Status pages publish the display names of budget adjustments that run now or within 30 days.",
        )}
      />
      <Slos draft={draft} />
      <PeriodCard
        draft={draft}
        startDescription={t("Every minute in this period is adjusted, including partial minutes.")}
      />
      <What draft={draft} />
    </Editor>
  )
}

const slosPath = "spec.slos"

const Slos = ({ draft }: { readonly draft: DraftFields }) => {
  const { at, put, errorOf } = draft
  const project = at("metadata.project") as string
  const keys = keyNames(at(slosPath), project)
  const chosen = keys.format(at(slosPath))
  const choose = (next: ReadonlyArray<string>): void => put({ [slosPath]: keys.parse(next) })
  const [typed, setTyped] = useState("")
  const slos = useSloNames()
  const names = slos.data?.data.map(({ project, name }) => `${project.name}/${name}`) ?? []
  const add = (): void => {
    const name = typed.includes("/") ? typed.trim() : `${project}/${typed.trim()}`
    if (typed.trim() !== "" && !chosen.includes(name)) choose([...chosen, name])
    setTyped("")
  }
  return (
    <SloSelectionCard draft={draft} label={t("What to adjust")} path={slosPath} byName={t("SLOs by name")}>
      <NameList
        id={slosPath}
        legend={t("SLOs")}
        names={chosen}
        choices={names}
        addLabel={t("Add SLO")}
        error={errorOf(slosPath, slosPath)}
        onChange={choose}
      />
      {slos.data?.links.next !== undefined && (
        <Group gap="xs" align="flex-end">
          <TextInput
            label={t("Another SLO")}
            description={t("Project and name.")}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button variant="default" onClick={add}>
            {t("Add")}
          </Button>
        </Group>
      )}
    </SloSelectionCard>
  )
}

const setPath = "spec.set"

const What = ({ draft: { at, swap, field } }: { readonly draft: DraftFields }) => {
  const set = at(setPath)
  return (
    <Card title={t("Adjustment")}>
      <SegmentedControl
        aria-label={t("How to adjust")}
        value={set === undefined ? "exclude" : "set"}
        onChange={(value) =>
          value === "set" ? swap([], { [setPath]: { good: "", total: "" } }) : swap([setPath], {})
        }
        data={[
          { value: "exclude", label: t("Exclude the minutes") },
          { value: "set", label: t("Set their counts") },
        ]}
      />
      {set !== undefined && (
        <Group className={css.pair ?? ""} gap="sm" align="flex-start">
          <TextInput
            {...field("spec.set.good", numberText, setPath)}
            label={t("Good events per minute")}
            inputMode="decimal"
          />
          <TextInput
            {...field("spec.set.total", numberText)}
            label={t("Total events per minute")}
            inputMode="decimal"
          />
        </Group>
      )}
      <Textarea
        {...field("spec.reason", requiredText)}
        label={t("Reason")}
        description={t("Why the minutes are adjusted. It is shown on the charts and in reports.")}
        rows={2}
        required
        withAsterisk={false}
      />
    </Card>
  )
}

/** What the adjustment would change, also before it has a reason. */
const Preview = ({ definition }: { readonly definition: AdjustmentDocument }) => {
  const { spec } = definition
  const reasoned = { ...definition, spec: { ...spec, reason: spec.reason || "…" } }
  const { preview, error, isBusy } = usePreview("adjustment-preview", reasoned, (body, signal) =>
    bodyOf(client.POST("/api/budget-adjustments/preview", { body, signal })),
  )
  return (
    <Card title={t("Effect")}>
      <ErrorNotice error={error} />
      <div aria-live="polite" aria-busy={isBusy}>
        {preview === undefined ? (
          <p className="dim">
            {t("Choose SLOs and a time to see the error budgets with and without the adjustment.")}
          </p>
        ) : (
          <BudgetEffects effects={preview} />
        )}
      </div>
    </Card>
  )
}
