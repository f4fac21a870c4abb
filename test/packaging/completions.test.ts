import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { tocsin } from "../server/child-process.ts"
import { folder, run } from "./Tools.ts"

beforeAll(async () => {
  for (const shell of ["fish", "zsh"]) {
    writeFileSync(join(folder, `completion.${shell}`), (await tocsin(["completion", shell])).stdout)
  }
})

describe("the completion of fish", () => {
  const complete = async (line: string): Promise<ReadonlyArray<string>> => {
    const script = `source ${join(folder, "completion.fish")}; complete -C ${JSON.stringify(line)}`
    return (await run("fish", ["--no-config", "-c", script])).split("\n").filter((each) => each !== "")
  }

  it("completes commands, flags, values, kinds and files", async () => {
    expect(await complete("tocsin sta")).toEqual(["status"])
    expect(await complete("tocsin delivery re")).toEqual(["resend", "resume"])
    expect(await complete("tocsin get alertp")).toEqual(["alertpolicies", "alertpolicy"])
    expect(await complete("tocsin get slos -o ")).toEqual(["csv", "json", "name", "table", "wide", "yaml"])
    expect(await complete(`tocsin apply -f ${folder}/completion.z`)).toEqual([`${folder}/completion.zsh`])
  })
})

describe("the completion of zsh", () => {
  it("completes commands, values and kinds of a line that is typed", async () => {
    // A shell in a terminal of its own, which gets lines with a tab at their end, and must show them completed.
    const script = `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source ${join(folder, "completion.zsh")}; echo "rea""dy"'
      zpty -r shell output '*ready*'
      for line completed in 'tocsin sta' 'tus' 'tocsin get slos -o c' 'sv' 'tocsin get alertme' 'thod'; do
        zpty -w -n shell "$line"$'\t'
        zpty -r shell output "*$completed*" && print "$line$completed"
        zpty -w -n shell $'\x15'
      done
      zpty -d shell`
    const output = await run("timeout", ["20", "zsh", "-f", "-c", script])
    expect(output).toBe("tocsin status\ntocsin get slos -o csv\ntocsin get alertmethod\n")
  })
})
