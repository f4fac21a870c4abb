import { Redirect, Route, Switch } from "wouter"
import { SessionProvider } from "./session/SessionProvider.tsx"
import { Empty } from "./shell/Empty.tsx"
import { onDemand, type OnDemand } from "./shell/OnDemand.tsx"
import { Page } from "./shell/Page.tsx"
import { Shell } from "./shell/Shell.tsx"
import { SlosPage } from "./slos/SlosPage.tsx"

// The list of SLOs is there at once; each other page comes when it is asked for.
const SloPage = onDemand(() => import("./slos/SloPage.tsx"))
const AlertsPage = onDemand(() => import("./alerts/AlertsPage.tsx"))
const AlertPage = onDemand(() => import("./alerts/AlertPage.tsx"))
const DeliveriesPage = onDemand(() => import("./deliveries/DeliveriesPage.tsx"))
const DeliveryPage = onDemand(() => import("./deliveries/DeliveryPage.tsx"))
const AlertMethodsPage = onDemand(() => import("./alert-methods/AlertMethodsPage.tsx"))
const AlertMethodPage = onDemand(() => import("./alert-methods/AlertMethodPage.tsx"))
const AlertMethodFormPage = onDemand(() => import("./alert-methods/AlertMethodFormPage.tsx"))
const SigningPage = onDemand(() => import("./signing/SigningPage.tsx"))

/** Asks for the page of an address while the server is still asked who is signed in. */
export const loadAhead = (path: string): void =>
  pageByPath.find(([pattern]) => pattern.test(path))?.[1].loadAhead()

const pageByPath: ReadonlyArray<readonly [RegExp, Pick<OnDemand<never>, "loadAhead">]> = [
  [/^\/slos\/./, SloPage],
  [/^\/alerts\/./, AlertPage],
  [/^\/alerts$/, AlertsPage],
  [/^\/deliveries\/./, DeliveryPage],
  [/^\/deliveries$/, DeliveriesPage],
  [/^\/alert-methods$/, AlertMethodsPage],
  [/^\/alert-methods\/(new|.*\/edit)$/, AlertMethodFormPage],
  [/^\/alert-methods\/./, AlertMethodPage],
  [/^\/signing$/, SigningPage],
]

/** The whole console. */
export const App = () => (
  <SessionProvider>
    <Shell>
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
    </Shell>
  </SessionProvider>
)
