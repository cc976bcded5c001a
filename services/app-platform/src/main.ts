import { runService } from '@waybill/kernel';
import { appPlatform } from './index.ts';

runService(appPlatform);
