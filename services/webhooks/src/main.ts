import { runService } from '@waybill/kernel';
import { webhooks } from './index.ts';

runService(webhooks);
