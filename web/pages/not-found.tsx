// Answers an address that no page has.
import { Link } from "@tanstack/react-router";
import { PageHeader } from "../components/page-header.tsx";

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="No page here" />
      <p className="text-ink-soft">
        The address is misspelt, or what it named has been removed.{" "}
        <Link to="/" className="font-medium text-accent underline underline-offset-4">
          Go to the overview
        </Link>
      </p>
    </>
  );
}
