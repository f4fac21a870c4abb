import { lazy, Suspense } from "react"
import { Redirect, Route, Switch } from "wouter"
import { SessionProvider } from "./session/SessionProvider.tsx"
import { Empty } from "./shell/Empty.tsx"
import { Page } from "./shell/Page.tsx"
import { Shell } from "./shell/Shell.tsx"
import { SlosPage } from "./slos/SlosPage.tsx"

// The list of SLOs is there at once; each other page comes when it is asked for.
const load = {
  slo: () => import("./slos/SloPage.tsx"),
  alerts: () => import("./alerts/AlertsPage.tsx"),
  alert: () => import("./alerts/AlertPage.tsx"),
  deliveries: () => import("./deliveries/DeliveriesPage.tsx"),
  delivery: () => import("./deliveries/DeliveryPage.tsx"),
  alertMethods: () => import("./alert-methods/AlertMethodsPage.tsx"),
  alertMethod: () => import("./alert-methods/AlertMethodPage.tsx"),
  alertMethodForm: () => import("./alert-methods/AlertMethodFormPage.tsx"),
  signing: () => import("./signing/SigningPage.tsx"),
}

const SloPage = lazy(load.slo)
const AlertsPage = lazy(load.alerts)
const AlertPage = lazy(load.alert)
const DeliveriesPage = lazy(load.deliveries)
const DeliveryPage = lazy(load.delivery)
const AlertMethodsPage = lazy(load.alertMethods)
const AlertMethodPage = lazy(load.alertMethod)
const AlertMethodFormPage = lazy(load.alertMethodForm)
const SigningPage = lazy(load.signing)

/** Asks for the page of an address while the server is still asked who is signed in. */
export const loadAhead = (path: string): void => {
  const found = aheadByPath.find(([pattern]) => pattern.test(path))
  if (found !== undefined) void found[1]()
}

const aheadByPath: ReadonlyArray<readonly [RegExp, () => Promise<unknown>]> = [
  [/^\/slos\/./, load.slo],
  [/^\/alerts\/./, load.alert],
  [/^\/alerts$/, load.alerts],
  [/^\/deliveries\/./, load.delivery],
  [/^\/deliveries$/, load.deliveries],
  [/^\/alert-methods$/, load.alertMethods],
  [/^\/alert-methods\/(new|.*\/edit)$/, load.alertMethodForm],
  [/^\/alert-methods\/./, load.alertMethod],
  [/^\/signing$/, load.signing],
]

/** The whole console. */
export const App = () => (
  <SessionProvider>
    <Shell>
      <Suspense>
        <Switch>
          <Route path="/">
            <Redirect href="/slos" replace />
          </Route>
          <Route path="/sign-in">
            <Redirect href="/slos" replace />
          </Route>
          <Route path="/slos" component={SlosPage} />
          <Route path="/slos/:project/:name">
            {({ project, name }) => <SloPage key={`${project}/${name}`} project={project} name={name} />}
          </Route>
          <Route path="/alerts" component={AlertsPage} />
          <Route path="/alerts/:id">{({ id }) => <AlertPage key={id} />}</Route>
          <Route path="/deliveries" component={DeliveriesPage} />
          <Route path="/deliveries/:id">{({ id }) => <DeliveryPage key={id} id={id} />}</Route>
          <Route path="/alert-methods" component={AlertMethodsPage} />
          <Route path="/alert-methods/new">
            <AlertMethodFormPage key="new" />
          </Route>
          <Route path="/alert-methods/:project/:name">
            {({ project, name }) => (
              <AlertMethodPage key={`${project}/${name}`} project={project} name={name} />
            )}
          </Route>
          <Route path="/alert-methods/:project/:name/edit">
            {({ project, name }) => (
              <AlertMethodFormPage key={`${project}/${name}`} edited={{ project, name }} />
            )}
          </Route>
          <Route path="/signing" component={SigningPage} />
          <Route>
            <Page title="There is no such page">
              <Empty title="Nothing here">
                <p>The address may be mistyped, or the page was moved.</p>
              </Empty>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  </SessionProvider>
)
