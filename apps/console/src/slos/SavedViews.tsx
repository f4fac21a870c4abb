import { ActionIcon, Button, TextInput } from "@mantine/core"
import { useState } from "react"
import { Link } from "wouter"
import { ActionDialog } from "../components/Dialog.tsx"
import { Cross } from "../components/Icon.tsx"
import { rich, t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import css from "./SlosPage.module.css"

/** Filters, sort and grouping of the list under a name. */
interface SavedView {
  readonly name: string
  /** The query of the address. */
  readonly query: string
}

/** Most saved views of an organization. */
const viewsMax = 30

const nameMaxCharacters = 60

/**
 * The saved views of the list, which this browser keeps for each organization, as links; the current filters can be saved as one
 * more.
 */
export const SavedViews = ({ query }: { readonly query: string }) => {
  const { organization } = useSession()
  const storageKey = `tocsin.views.${organization}`
  const [views, setViews] = useState(() => storedViews(storageKey))
  const [isSaving, setIsSaving] = useState(false)
  const current = views.find((view) => view.query === query)
  const store = (changed: ReadonlyArray<SavedView>): void => {
    setViews(changed)
    try {
      localStorage.setItem(storageKey, JSON.stringify(changed))
    } catch {
      // The views are there until the page is closed.
    }
  }
  const canSave = query !== "" && current === undefined && views.length < viewsMax
  if (views.length === 0 && !canSave) return null
  return (
    <nav aria-label={t("Views")} className={css.views}>
      <Link href="/slos" className={css.view} aria-current={query === "" ? "page" : undefined}>
        {t("All SLOs")}
      </Link>
      {views.map((view) => (
        <span key={view.name} className={css.savedView}>
          <Link
            href={`/slos?${view.query}`}
            className={css.view}
            aria-current={view === current ? "page" : undefined}
          >
            <bdi>{view.name}</bdi>
          </Link>
          {view === current && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t("Delete the view {name}", { name: view.name })}
              title={t("Delete view")}
              onClick={() => store(views.filter((each) => each !== view))}
            >
              <Cross />
            </ActionIcon>
          )}
        </span>
      ))}
      {canSave && (
        <Button variant="subtle" size="compact-sm" onClick={() => setIsSaving(true)}>
          {t("Save view")}
        </Button>
      )}
      {isSaving && (
        <SaveView
          onSave={(name) => {
            store([...views.filter((view) => view.name !== name), { name, query }])
            setIsSaving(false)
          }}
          onClose={() => setIsSaving(false)}
        />
      )}
    </nav>
  )
}

const SaveView = ({
  onSave,
  onClose,
}: {
  readonly onSave: (name: string) => void
  readonly onClose: () => void
}) => {
  const [name, setName] = useState("")
  return (
    <ActionDialog
      title={t("Save view")}
      submitLabel={t("Save view")}
      isBusy={false}
      isDisabled={name.trim() === ""}
      error={null}
      onSubmit={() => onSave(name.trim())}
      onClose={onClose}
    >
      <p className="dim">
        {rich("Keeps the filters, the sort order and the grouping <b>on this device</b>, for you alone.", {
          b: (text) => <strong>{text}</strong>,
        })}
      </p>
      <TextInput
        label={t("Name")}
        description={t("A view with the same name is replaced.")}
        value={name}
        maxLength={nameMaxCharacters}
        required
        withAsterisk={false}
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </ActionDialog>
  )
}

/** What is stored may be of another version, or changed by hand. */
const storedViews = (storageKey: string): ReadonlyArray<SavedView> => {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]")
    if (!Array.isArray(views)) return []
    return views
      .flatMap((view: { readonly name?: unknown; readonly query?: unknown } | null) =>
        typeof view?.name === "string" && typeof view.query === "string"
          ? [{ name: view.name, query: view.query }]
          : [],
      )
      .slice(0, viewsMax)
  } catch {
    return []
  }
}
