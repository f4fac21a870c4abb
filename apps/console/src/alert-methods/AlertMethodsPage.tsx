import { Button } from "@mantine/core"
import { Link } from "wouter"
import type { Schemas } from "../api/ApiTypes.ts"
import { call } from "../api/Call.ts"
import { usePages } from "../api/Pages.ts"
import { pollMs } from "../api/Resource.ts"
import { stateOf } from "../deliveries/Words.ts"
import { useIsEditor } from "../session/Session.ts"
import { Ago } from "../shell/Ago.tsx"
import { Empty } from "../shell/Empty.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Plus } from "../shell/Icon.tsx"
import { Page } from "../shell/Page.tsx"
import { StateChip, wordOf } from "../shell/StateChip.tsx"
import table from "../shell/Table.module.css"

/** Every alert method, with how it is. */
const AlertMethodsPage = () => {
  const isEditor = useIsEditor()
  const { items, more, isReadingMore, failure, reload } = usePages("alert-methods", readPage, idOf, pollMs)
  const create = isEditor && (
    <Button component={Link} href="/alert-methods/new" leftSection={<Plus />}>
      New alert method
    </Button>
  )
  return (
    <Page
      title="Alert methods"
      subtitle="Where alerts go: a signed HTTP POST to each."
      actions={items !== undefined && items.length > 0 && create}
    >
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {items?.length === 0 && (
        <Empty title="No alert method yet">
          <p>An alert method sends a signed webhook to a URL of yours when an SLO is in danger.</p>
          {create}
        </Empty>
      )}
      {items !== undefined && items.length > 0 && (
        <div className={table.wrap}>
          <table className={table.table} aria-label="Alert methods">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">State</th>
                <th scope="col">Latest delivery</th>
                <th scope="col">Says</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ definition: { metadata, spec }, state, latestDelivery }) => (
                <tr key={`${metadata.project}/${metadata.name}`} className={table.row}>
                  <td>
                    <Link href={`/alert-methods/${metadata.project}/${metadata.name}`} className={table.link}>
                      {metadata.displayName ?? metadata.name}
                    </Link>
                    <div className="dim small">
                      {metadata.project} / {metadata.name}
                    </div>
                  </td>
                  <td>
                    <StateChip state={state} />
                  </td>
                  <td data-label="Latest delivery" className={table.nowrap}>
                    {latestDelivery === undefined ? (
                      <span className="dim">none yet</span>
                    ) : (
                      <>
                        {stateText(latestDelivery)}{" "}
                        <span className="dim">
                          <Ago at={latestDelivery.createdAt} />
                        </span>
                      </>
                    )}
                  </td>
                  <td className={`dim ${table.nowrap}`}>
                    {spec.webhook.template === undefined
                      ? countOf(spec.webhook.templateFields?.length ?? 0)
                      : "Custom JSON"}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {more !== undefined && (
            <div className={table.more}>
              <Button variant="default" loading={isReadingMore} onClick={more}>
                Show more
              </Button>
            </div>
          )}
        </div>
      )}
    </Page>
  )
}
export default AlertMethodsPage

const countOf = (details: number): string => (details === 1 ? "1 detail" : `${details} details`)

const readPage = (cursor: string | undefined, signal?: AbortSignal) =>
  call("GET /api/console/alertmethods", {
    query: { limit: 100, ...(cursor !== undefined && { cursor }) },
    signal,
  })

const idOf = ({ definition: { metadata } }: Schemas["ListedAlertMethod"]): string =>
  `${metadata.project}/${metadata.name}`

const stateText = (delivery: Schemas["Delivery"]): string => wordOf(stateOf(delivery))
