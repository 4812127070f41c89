// Signing in with e-mail and password.
import type { SignIn } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useRef } from "react";
import { body } from "../api.ts";
import { AuthLayout } from "../components/auth-layout.tsx";
import { Button } from "../components/button.tsx";
import { CodeText } from "../components/code-text.tsx";
import { Field } from "../components/field.tsx";
import { PasswordField } from "../components/password-field.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { SetupGate } from "../components/setup-gate.tsx";
import { toProblem } from "../problem-error.ts";
import { sessionKey } from "../session-query.ts";
import { useApi } from "../use-api.ts";
import { useFocusInvalid } from "../use-focus-invalid.ts";

export function LoginPage() {
  return (
    <SetupGate title="Sign in" labels={["E-mail", "Password"]}>
      {(needed) => (needed ? <SetupFirst /> : <LoginForm />)}
    </SetupGate>
  );
}

function SetupFirst() {
  return (
    <AuthLayout
      title="Croft has no admin yet"
      description={
        <CodeText>
          Open the one-time link that `croft serve` printed when it started. It leads to a form that
          creates the first admin.
        </CodeText>
      }
    >
      <p className="text-ink-soft">
        <CodeText>
          Is it gone or expired? `croft login` on the same machine prints a new one.
        </CodeText>
      </p>
    </AuthLayout>
  );
}

function LoginForm() {
  const api = useApi();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { redirect = "/" } = useSearch({ from: "/login" });
  const form = useRef<HTMLFormElement>(null);
  const signIn = useMutation({
    mutationFn: (input: SignIn) => body(api.POST("/api/session", { body: input })),
    onSuccess: (session) => {
      queryClient.setQueryData(sessionKey, session);
      router.history.push(redirect);
    },
  });
  const problem = signIn.isError ? toProblem(signIn.error) : undefined;
  useFocusInvalid(form, problem?.errors);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = new FormData(event.currentTarget);
    signIn.mutate({ email: String(input.get("email")), password: String(input.get("password")) });
  };
  return (
    <AuthLayout title="Sign in" description={`Croft at ${window.location.host}`}>
      <form ref={form} onSubmit={submit} className="space-y-4">
        <div role="alert">
          {problem !== undefined && problem.errors.length === 0 && (
            <ProblemNotice error={problem} />
          )}
        </div>
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          error={problem?.fieldError("email")}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          error={problem?.fieldError("password")}
        />
        <Button type="submit" look="primary" className="h-10 w-full" busy={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </AuthLayout>
  );
}
