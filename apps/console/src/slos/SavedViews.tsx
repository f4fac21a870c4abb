import { ActionIcon, Button, Radio, Stack, TextInput } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { nameFromDisplayName } from "@tocsin/domain/forms"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import { client } from "../api/Client.ts"
import { type DocumentByKind, documentsQuery, useDocuments } from "../api/Definitions.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { Cross } from "../components/Icon.tsx"
import { deleteDefinitions } from "../editor/DeleteButton.tsx"
import { rich, t } from "../language/Text.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import css from "./SlosPage.module.css"
import { queryOfView } from "./ViewQuery.ts"

/** A view that this browser keeps. */
interface OwnView {
  readonly name: string
  /** The query of the address. */
  readonly query: string
}

/** A view in the list of views. */
interface ListedView extends OwnView {
  /** The organization's view; absent: only this browser has it. */
  readonly shared?: SharedView
}

type SharedView = DocumentByKind["savedviews"]

/** Most views of an organization that a browser keeps. */
const viewsMax = 30

const nameMaxCharacters = 60

const sharedViews = documentsQuery("savedviews", { revisions: "true" })

/**
 * The saved views of the list as links: the organization's, and the ones that this browser keeps. The current filters can be
 * saved as one more.
 */
export const SavedViews = ({
  query,
  spec,
}: {
  readonly query: string
  /** The same as a view of the organization. */
  readonly spec: SharedView["spec"]
}) => {
  const { organization } = useSession()
  const isEditor = useIsEditor()
  const [, navigate] = useLocation()
  const { data: shared = [] } = useDocuments("savedviews", { revisions: "true" }, { staleTime: 60_000 })
  const storageKey = `tocsin.views.${organization}`
  const [own, setOwn] = useState(() => storedViews(storageKey))
  const [open, setOpen] = useState<"save" | SharedView>()
  const views: ReadonlyArray<ListedView> = [
    ...shared.map((each) => ({ name: nameOf(each), query: queryOfView(each.spec), shared: each })),
    ...own,
  ]
  const current = views.find((view) => view.query === query)
  const store = (changed: ReadonlyArray<OwnView>): void => {
    setOwn(changed)
    try {
      localStorage.setItem(storageKey, JSON.stringify(changed))
    } catch {
      // The views are there until the page is closed.
    }
  }
  const canSave = query !== "" && current === undefined && (isEditor || own.length < viewsMax)
  if (views.length === 0 && !canSave) return null
  return (
    <nav aria-label={t("Views")} className={css.views}>
      <Link href="/slos" className={css.view} aria-current={query === "" ? "page" : undefined}>
        {t("All SLOs")}
      </Link>
      {views.map((view) => (
        <span key={`${view.shared?.metadata.name ?? ""}/${view.name}`} className={css.savedView}>
          <Link
            href={`/slos?${view.query}`}
            className={css.view}
            aria-current={view === current ? "page" : undefined}
            title={view.shared === undefined ? t("Only for you, on this device") : t("For everyone")}
          >
            <bdi>{view.name}</bdi>
          </Link>
          {view === current && (view.shared === undefined || isEditor) && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t("Delete the view {name}", { name: view.name })}
              title={t("Delete view")}
              onClick={() =>
                view.shared === undefined ? store(own.filter((each) => each !== view)) : setOpen(view.shared)
              }
            >
              <Cross />
            </ActionIcon>
          )}
        </span>
      ))}
      {canSave && (
        <Button variant="subtle" size="compact-sm" onClick={() => setOpen("save")}>
          {t("Save view")}
        </Button>
      )}
      {open === "save" && (
        <SaveView
          canShare={isEditor}
          canKeep={own.length < viewsMax}
          shared={shared}
          spec={spec}
          onKeep={(name) => store([...own.filter((view) => view.name !== name), { name, query }])}
          onClose={() => setOpen(undefined)}
        />
      )}
      {typeof open === "object" && (
        <DeleteView
          view={open}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen(undefined)
            navigate("/slos")
          }}
        />
      )}
    </nav>
  )
}

const nameOf = ({ metadata: { name, displayName } }: SharedView): string => displayName || name

const SaveView = ({
  canShare,
  canKeep,
  shared,
  spec,
  onKeep,
  onClose,
}: {
  readonly canShare: boolean
  readonly canKeep: boolean
  readonly shared: ReadonlyArray<SharedView>
  readonly spec: SharedView["spec"]
  readonly onKeep: (name: string) => void
  readonly onClose: () => void
}) => {
  const { apiVersion } = useSession()
  const queryClient = useQueryClient()
  const [displayName, setDisplayName] = useState("")
  const [isShared, setIsShared] = useState(!canKeep)
  const name = nameFromDisplayName(displayName)
  const replaced = shared.find(({ metadata }) => metadata.name === name)
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (!isShared) return onKeep(displayName.trim())
      const metadata = { name, displayName: displayName.trim() }
      // A view that somebody else has saved in the meantime is not replaced.
      const body = {
        apiVersion,
        kind: "SavedView" as const,
        metadata,
        spec,
        revision: replaced?.revision ?? "0",
      }
      await client.PUT("/api/apply", { body })
    },
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries({ queryKey: sharedViews.queryKey }),
  })
  return (
    <ActionDialog
      title={t("Save view")}
      submitLabel={t("Save view")}
      isBusy={isPending}
      isDisabled={isShared ? name === "" : displayName.trim() === ""}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <TextInput
        label={t("Name")}
        description={
          isShared && replaced !== undefined
            ? t("Replaces the view of the organization with this name.")
            : t(
                "Keeps the filters, the sort order, the grouping and the columns. A view with the same name is replaced.",
              )
        }
        value={displayName}
        maxLength={nameMaxCharacters}
        required
        withAsterisk={false}
        data-autofocus
        onChange={({ currentTarget }) => setDisplayName(currentTarget.value)}
      />
      <Radio.Group
        label={t("For")}
        value={isShared ? "everyone" : "me"}
        onChange={(value) => setIsShared(value === "everyone")}
      >
        <Stack gap="xs" mt="2xs">
          <Radio value="me" disabled={!canKeep} label={t("Only me, on this device")} />
          <Radio
            value="everyone"
            disabled={!canShare}
            label={t("Everyone in the organization")}
            description={canShare ? undefined : t("Your role is viewer. An editor can save it for everyone.")}
          />
        </Stack>
      </Radio.Group>
    </ActionDialog>
  )
}

/** Asks before a view is deleted that others use. */
const DeleteView = ({
  view,
  onClose,
  onDone,
}: {
  readonly view: SharedView
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteDefinitions("savedview", "", [view.metadata.name]),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sharedViews.queryKey })
      onDone()
    },
  })
  return (
    <ActionDialog
      title={t("Delete view")}
      submitLabel={t("Delete view")}
      color="red"
      isBusy={isPending}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <p>
        {rich("Deletes the view <name></name> for everyone in the organization.", {
          name: () => <bdi>{nameOf(view)}</bdi>,
        })}
      </p>
    </ActionDialog>
  )
}

/** What is stored may be of another version, or changed by hand. */
const storedViews = (storageKey: string): ReadonlyArray<OwnView> => {
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
