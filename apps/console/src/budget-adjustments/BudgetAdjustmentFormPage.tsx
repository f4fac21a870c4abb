import type { AdjustmentDocument } from "@tocsin/api"
import { Button, Group, SegmentedControl, Textarea, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import css from "../components/Form.module.css"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { type Draft, useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { FormPage } from "../editor/FormPage.tsx"
import { GeneralCard } from "../editor/General.tsx"
import { NameList } from "../editor/NameList.tsx"
import { PeriodCard } from "../editor/Period.tsx"
import { usePreview } from "../editor/Preview.ts"
import { SloSelectionCard } from "../editor/SloSelection.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { type AdjustmentValues, definitionOf, isOfClients, newValues, valuesOf } from "./AdjustmentValues.ts"
import { BudgetEffects } from "./BudgetEffects.tsx"

/** Creates a budget adjustment; with `project` and `name`, edits one. */
const BudgetAdjustmentFormPage = ({ project, name }: Partial<DefinitionKey>) => (
  <FormPage
    kind="budgetadjustments"
    edited={project === undefined || name === undefined ? undefined : { project, name }}
    createTitle={t("Create budget adjustment")}
    list={{ href: "/budget-adjustments", text: t("Budget adjustments") }}
    folder="/budget-adjustments"
    missing={t("Budget adjustment {name} was not found in project {project}.", { name, project })}
  >
    {(edited) =>
      edited !== undefined && isOfClients(edited) ? (
        <Notice kind="info">
          {t(
            "This budget adjustment is written in the form of the service's public clients, which this form does not have. Edit it with such a client, or with tocsin edit.",
          )}
        </Notice>
      ) : (
        <Form edited={edited} />
      )
    }
  </FormPage>
)
export default BudgetAdjustmentFormPage

const Form = ({ edited }: { readonly edited: AdjustmentDocument | undefined }) => {
  const { apiVersion } = useSession()
  const draft = useDraft<AdjustmentValues, AdjustmentDocument>("BudgetAdjustment", {
    newValues: () => newValues(new URLSearchParams(location.search)),
    valuesOf,
    definitionOf: (values) => definitionOf(values, apiVersion),
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
      {() => (
        <>
          <GeneralCard draft={draft} isNew={isNew} hasDescription={false} />
          <Slos draft={draft} />
          <PeriodCard
            draft={draft}
            startDescription={t("Every minute in this period is adjusted, also partial ones.")}
          />
          <What draft={draft} />
        </>
      )}
    </Editor>
  )
}

const Slos = ({ draft }: { readonly draft: Draft<AdjustmentValues, AdjustmentDocument> }) => {
  const { values, set, errorOf } = draft
  const [typed, setTyped] = useState("")
  const slos = useQuery({
    queryKey: ["slo-names"],
    queryFn: ({ signal }) =>
      bodyOf(client.GET("/api/v2/slos", { params: { query: { limit: 500 } }, signal })),
    staleTime: 60_000,
  })
  const names = slos.data?.data.map(({ project, name }) => `${project.name}/${name}`) ?? []
  const add = (): void => {
    const name = typed.includes("/") ? typed.trim() : `${values.metadata.project}/${typed.trim()}`
    if (typed.trim() !== "" && !values.slos.includes(name)) set({ slos: [...values.slos, name] })
    setTyped("")
  }
  return (
    <SloSelectionCard draft={draft} label={t("What to adjust")} byName={t("SLOs by name")}>
      <NameList
        id="slos"
        legend={t("SLOs")}
        names={values.slos}
        choices={names}
        addLabel={t("Add SLO")}
        error={errorOf("slos", "spec.slos")}
        onChange={(next) => set({ slos: next })}
      />
      {slos.data?.links.next !== undefined && (
        <Group gap={8} align="flex-end">
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

const What = ({ draft }: { readonly draft: Draft<AdjustmentValues, AdjustmentDocument> }) => {
  const { values, set, input } = draft
  return (
    <Card title={t("Adjustment")}>
      <SegmentedControl
        aria-label={t("How to adjust")}
        value={values.isSet ? "set" : "exclude"}
        onChange={(value) => set({ isSet: value === "set" })}
        data={[
          { value: "exclude", label: t("Exclude the minutes") },
          { value: "set", label: t("Set their counts") },
        ]}
      />
      {values.isSet && (
        <Group className={css.pair ?? ""} gap={14} align="flex-start">
          <TextInput
            {...input("good", "spec.set.good", "spec.set")}
            label={t("Good events per minute")}
            inputMode="decimal"
          />
          <TextInput
            {...input("total", "spec.set.total")}
            label={t("Total events per minute")}
            inputMode="decimal"
          />
        </Group>
      )}
      <Textarea
        {...input("reason", "spec.reason")}
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
            {t("Choose SLOs and a time to see the error budgets without and with the adjustment.")}
          </p>
        ) : (
          <BudgetEffects effects={preview} />
        )}
      </div>
    </Card>
  )
}
