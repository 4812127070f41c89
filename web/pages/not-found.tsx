// Answers an address that no page has.
import { Link } from "@tanstack/react-router";
import { AuthLayout } from "../components/auth-layout.tsx";

export function NotFoundPage() {
  return (
    <AuthLayout
      title="No page here"
      description="The address is misspelt, or what it named has been removed."
    >
      <Link to="/" className="font-medium text-accent underline underline-offset-4">
        Go to the overview
      </Link>
    </AuthLayout>
  );
}
