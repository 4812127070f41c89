// Whose event at GitHub started a piece of work: the installation that it belongs to.
import { Link } from "@tanstack/react-router";
import { useInstallationNames } from "../github/use-installation-names.ts";
import { Fact, factLink } from "./fact.tsx";

/** Nothing for what belongs to somebody else. Stands in a `dl`. */
export function InstallationFact({ owner }: { owner: string }) {
  const id = /^installation:([1-9]\d*)$/.exec(owner)?.[1];
  return id === undefined ? null : <OneInstallation id={id} />;
}

function OneInstallation({ id }: { id: string }) {
  const nameOf = useInstallationNames();
  return (
    <Fact name="GitHub">
      <Link to="/github/installations/$id" params={{ id }} className={factLink}>
        {nameOf(Number(id))}
      </Link>
    </Fact>
  );
}
