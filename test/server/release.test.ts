import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { dataDirectory } from "./child-process.ts"

const root = join(import.meta.dirname, "../..")

it("a release has one version everywhere, a section of the changelog, a commit and a tag", () => {
  const clone = join(dataDirectory(), "clone")
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: clone,
      encoding: "utf8",
    })
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, clone])
  const release = (...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [join(clone, "scripts/release.mjs"), ...args], {
      encoding: "utf8",
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: "Test",
        GIT_AUTHOR_EMAIL: "test@example.com",
        GIT_COMMITTER_NAME: "Test",
        GIT_COMMITTER_EMAIL: "test@example.com",
      },
    })
  expect(release("next").status).toBe(1)
  expect(release("0.2.0", "--untried")).toMatchObject({ status: 0, stderr: "" })
  expect(git("status", "--porcelain")).toBe("")
  expect(git("tag")).toBe("v0.2.0\n")
  expect(git("log", "-1", "--format=%s")).toBe("Release 0.2.0\n")

  const read = (file: string) => readFileSync(join(clone, file), "utf8")
  const changed = git("diff", "--name-only", "HEAD~1").trim().split("\n")
  expect(changed).toContain("package-lock.json")
  for (const file of changed.filter((name) => name.endsWith("package.json"))) {
    expect(read(file), file).not.toMatch(/"(version|@tocsin\/[a-z-]+)": "\^?0\.1\.0"/)
  }
  expect(changed.filter((name) => name.endsWith("package.json")).length).toBeGreaterThan(9)
  expect(read("package-lock.json")).not.toMatch(/"@tocsin\/[a-z-]+": "\^?0\.1\.0"/)
  expect(read("packages/api/src/api/ProductVersion.ts")).toContain('ersion = "0.2.0"')
  for (const file of [
    "Dockerfile",
    "compose.yaml",
    "compose.citus.yaml",
    "deploy/helm/tocsin/Chart.yaml",
    "docs/guides/install.md",
  ]) {
    expect(read(file), file).toContain("0.2.0")
    expect(read(file), file).not.toContain("0.1.0")
  }
  expect(read("README.md")).toContain("\nVersion 0.2.0. MIT license.\n")
  expect(read("SECURITY.md")).toContain("\n\nThe latest minor version receives security fixes.\n\n")
  expect(
    spawnSync("git", ["grep", "-iE", "not (released|published) yet", "*.md"], { cwd: clone }).status,
  ).toBe(1)
  expect(read("CHANGELOG.md")).toMatch(/## \[Unreleased\]\n\n## \[0\.2\.0\] - \d{4}-\d{2}-\d{2}\n\n### Added/)

  const again = release("0.2.0", "--untried")
  expect([again.status, again.stderr]).toEqual([1, "The tag v0.2.0 exists already.\n"])
  expect(release("0.3.0", "--untried").stderr).toBe("CHANGELOG.md has nothing unreleased.\n")
  expect(git("status", "--porcelain")).toBe("")
  writeFileSync(join(clone, "README.md"), "changed")
  expect(release("0.3.0", "--untried").stderr).toBe("Commit your changes first.\n")
})
