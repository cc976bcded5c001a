import { useState } from 'react';
import { api } from '../../api/client.ts';
import { meQuery, useMe } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { session } from '../../api/session.ts';
import { ChooseLanguage, ChooseLook } from '../../shell/choices.tsx';
import { ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { type Language, languages } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Facts, Grid, Notice, Row, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { SignIns } from './sign-ins.tsx';
import { useAccountTexts } from './texts.ts';

export function Account() {
  const words = useAccountTexts();
  return (
    <Screen title={words.title} width="text">
      <Verification />
      <Profile />
      <Password />
      <SecondFactor />
      <Sessions />
      <SignIns />
      <Appearance />
      <DeleteAccount />
    </Screen>
  );
}

/** Shown until the user has followed the link in the verification mail. */
function Verification() {
  const words = useAccountTexts();
  const { user } = useMe();
  const send = useMutation(() => api.post('/api/auth/verification'), {
    done: words.sentAgain,
    invalidates: [meQuery.queryKey],
  });
  if (user.emailVerified) return null;
  return (
    <Notice
      tone="warn"
      title={words.verifyTitle}
      actions={
        <Button size="small" isPending={send.isPending} onPress={() => send.run(undefined)}>
          {words.sendAgain}
        </Button>
      }
    >
      {words.verifyHint}
    </Notice>
  );
}

function Profile() {
  const words = useAccountTexts();
  const { user } = useMe();
  const form = useResourceForm({
    stored: { name: user.name, locale: user.locale },
    save: ({ value }) => api.patch('/api/me', { body: value }),
    done: words.saved,
    invalidates: [meQuery.queryKey],
    onSaved: (answer) => session.rename(answer.user),
  });
  return (
    <Card title={words.profile}>
      <ResourceForm form={form}>
        <Facts
          facts={[
            [
              words.email,
              <Row key="email">
                {user.email}
                <Badge tone={user.emailVerified ? 'good' : 'warn'}>
                  {user.emailVerified ? words.verified : words.notVerified}
                </Badge>
              </Row>,
            ],
          ]}
        />
        <TextField
          label={words.name}
          autoComplete="name"
          {...form.field('name')}
          maxLength={200}
          isRequired
        />
        <Select<Language>
          label={words.mailLanguage}
          choices={Object.entries(languages).map(([id, text]) => ({ id: id as Language, text }))}
          {...form.field('locale')}
        />
      </ResourceForm>
    </Card>
  );
}

function Password() {
  const words = useAccountTexts();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation(() => api.post('/api/auth/password', { body: { current, password } }), {
    done: words.passwordChanged,
    invalidates: [[...meQuery.queryKey, 'sessions']],
    fields: { invalid_login: ['/current', words.wrongPassword] },
    onDone() {
      setCurrent('');
      setPassword('');
    },
  });
  return (
    <Card title={words.password}>
      <Form mutation={change} onSubmit={() => void change.run(undefined)}>
        <TextField
          label={words.currentPassword}
          name="/current"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          isRequired
        />
        <TextField
          label={words.newPassword}
          hint={`${words.passwordHint} ${words.passwordEnds}`}
          name="/password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          minLength={10}
          maxLength={200}
          isRequired
        />
        <Row>
          <Button type="submit" isPending={change.isPending}>
            {words.changePassword}
          </Button>
        </Row>
      </Form>
    </Card>
  );
}

function Appearance() {
  const words = useAccountTexts();
  return (
    <Card title={words.appearance}>
      <p>{words.appearanceHint}</p>
      <Grid>
        <ChooseLanguage />
        <ChooseLook />
      </Grid>
    </Card>
  );
}
