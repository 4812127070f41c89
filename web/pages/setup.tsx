// Creating the first admin with the one-time link that the first start prints.
import { PASSWORD_LENGTH, type Setup } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouteContext } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { body } from "../api.ts";
import { AuthLayout } from "../components/auth-layout.tsx";
import { Button } from "../components/button.tsx";
import { CodeText } from "../components/code-text.tsx";
import { Field } from "../components/field.tsx";
import { PasswordField } from "../components/password-field.tsx";
import { PasswordLengthHint } from "../components/password-length-hint.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { SetupGate } from "../components/setup-gate.tsx";
import { toProblem } from "../problem-error.ts";
import { sessionKey } from "../session-query.ts";
import { setupQuery } from "../setup-query.ts";
import { takeSetupToken } from "../setup-token.ts";
import { useApi } from "../use-api.ts";
import { useFocusInvalid } from "../use-focus-invalid.ts";

const title = "Create the first admin";

export function SetupPage() {
  const token = useSetupToken();
  return (
    <SetupGate title={title} labels={["Name", "E-mail", "Password"]}>
      {(needed) => {
        if (!needed) return <SetupDone />;
        // The key gives a new link a fresh form, without the old link's failure.
        return token === undefined ? <TokenMissing /> : <SetupForm key={token} token={token} />;
      }}
    </SetupGate>
  );
}

/** The link may also be pasted into a tab that shows this page already: then only the fragment changes. */
function useSetupToken(): string | undefined {
  const first = useRouteContext({ from: "/setup", select: ({ setupToken }) => setupToken });
  const [token, setToken] = useState(first);
  useEffect(() => {
    const renew = () => setToken((current) => takeSetupToken() ?? current);
    window.addEventListener("hashchange", renew);
    return () => window.removeEventListener("hashchange", renew);
  }, []);
  return token;
}

function SetupDone() {
  return (
    <AuthLayout
      title="Croft is set up already"
      description="The first admin exists, so set-up links no longer work."
    >
      <Link to="/login" className="font-medium text-accent underline underline-offset-4">
        Sign in
      </Link>
    </AuthLayout>
  );
}

function TokenMissing() {
  return (
    <AuthLayout
      title="Open the set-up link"
      description={
        <CodeText>
          Open the link that `croft serve` printed when it started, with everything after the `#`.
        </CodeText>
      }
    >
      <NewLink />
    </AuthLayout>
  );
}

function LinkInvalid() {
  return (
    <AuthLayout title="This link no longer works" description="It has been used or has expired.">
      <NewLink />
    </AuthLayout>
  );
}

function NewLink() {
  return (
    <p className="text-ink-soft">
      <CodeText>`croft login` on the machine that runs Croft prints a new link.</CodeText>
    </p>
  );
}

type Input = Omit<Setup, "token">;
type InputErrors = { [field in keyof Input]?: string | undefined };

function SetupForm({ token }: { token: string }) {
  const form = useRef<HTMLFormElement>(null);
  const [passwordLength, setPasswordLength] = useState(0);
  const [mistakes, setMistakes] = useState<InputErrors>({});
  const [refusals, setRefusals] = useState(0);
  const create = useCreateFirstAdmin(token);
  const problem = create.isError ? toProblem(create.error) : undefined;
  useFocusInvalid(form, problem?.errors ?? refusals);
  if (problem?.code === "setup-link-invalid") return <LinkInvalid />;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const read = (name: keyof Input) => String(data.get(name));
    const input = { name: read("name"), email: read("email"), password: read("password") };
    const found = findMistakes(input);
    setMistakes(found);
    if (Object.keys(found).length === 0) create.mutate(input);
    else setRefusals(refusals + 1);
  };
  const forget = (event: FormEvent<HTMLFormElement>) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    setMistakes({ ...mistakes, [event.target.name]: undefined });
    if (create.isError) create.reset();
  };
  const errorOf = (field: keyof Input) => mistakes[field] ?? problem?.fieldError(field);
  return (
    <AuthLayout
      title={title}
      description="The account from which you look after this installation."
    >
      <form ref={form} onSubmit={submit} onInput={forget} noValidate className="space-y-4">
        <div role="alert">
          {problem !== undefined && problem.errors.length === 0 && (
            <ProblemNotice error={problem} />
          )}
        </div>
        <Field label="Name" name="name" autoComplete="name" error={errorOf("name")} />
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          error={errorOf("email")}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="new-password"
          maxLength={PASSWORD_LENGTH.max}
          onChange={(event) => setPasswordLength(event.target.value.length)}
          hint={<PasswordLengthHint length={passwordLength} />}
          error={errorOf("password")}
        />
        <Button type="submit" look="primary" className="h-10 w-full" busy={create.isPending}>
          Create admin and sign in
        </Button>
      </form>
    </AuthLayout>
  );
}

function useCreateFirstAdmin(token: string) {
  const api = useApi();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (input: Input) => body(api.POST("/api/setup", { body: { token, ...input } })),
    onSuccess: async (session) => {
      queryClient.setQueryData(sessionKey, session);
      await navigate({ to: "/" });
      queryClient.setQueryData(setupQuery(api).queryKey, { needed: false });
    },
    onError: async (error) => {
      // Someone else was faster: the page then says so from the renewed state.
      if (toProblem(error).code === "setup-done")
        await queryClient.invalidateQueries(setupQuery(api));
    },
  });
}

/** What can be told without asking the server; the server checks again. */
function findMistakes({ name, email, password }: Input): InputErrors {
  const mistakes: InputErrors = {};
  if (name.trim() === "") mistakes.name = "Enter your name.";
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim())) mistakes.email = "Enter an address like name@host.";
  if (password.length < PASSWORD_LENGTH.min) {
    mistakes.password = `Use at least ${PASSWORD_LENGTH.min} characters.`;
  }
  return mistakes;
}
